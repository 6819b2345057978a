/** Fingers on the picture: a tap acts, a thumb on one half steers. */
import { useRef } from "preact/hooks";
import { LeftIcon, RightIcon } from "../parts/icons.tsx";
import type { Controls } from "./controls.ts";
import { type Grip, gripAt, layoutOf } from "./grips.ts";

export function TouchPad({ controls }: { readonly controls: Controls }) {
  const touches = useRef(new Map<number, Grip>());
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const pad = event.currentTarget as HTMLElement;
    const box = pad.getBoundingClientRect();
    const grip = gripAt(controls.grips, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    if (grip === undefined) return;
    // Where the finger goes afterwards does not matter: it is let go wherever it is lifted.
    pad.setPointerCapture(event.pointerId);
    touches.current.set(event.pointerId, grip);
    controls.press(grip);
  };
  const release = (event: PointerEvent): void => {
    const grip = touches.current.get(event.pointerId);
    touches.current.delete(event.pointerId);
    if (grip !== undefined) controls.release(grip);
  };
  return (
    <div
      class="touch-pad"
      aria-hidden="true"
      onPointerDown={press}
      onPointerUp={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
    >
      {layoutOf(controls.grips) === "sides" && (
        <>
          <span class="touch-hint">
            <LeftIcon />
          </span>
          <span class="touch-hint">
            <RightIcon />
          </span>
        </>
      )}
    </div>
  );
}
