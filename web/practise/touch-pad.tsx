/** Fingers on the picture: a tap acts, a thumb on either half steers. */
import { useRef } from "preact/hooks";
import { LeftIcon, RightIcon } from "../parts/icons.tsx";
import type { Controls, Touch } from "./controls.ts";

export function TouchPad({ controls }: { readonly controls: Controls }) {
  const touches = useRef(new Map<number, Touch>());
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const pad = event.currentTarget as HTMLElement;
    const box = pad.getBoundingClientRect();
    const isLeft = event.clientX < box.left + box.width / 2;
    const touch: Touch = controls.steers ? { kind: "steer", dir: isLeft ? "left" : "right" } : { kind: "act" };
    // Where the finger goes afterwards does not matter: it is let go wherever it is lifted.
    pad.setPointerCapture(event.pointerId);
    touches.current.set(event.pointerId, touch);
    controls.press(touch);
  };
  const release = (event: PointerEvent): void => {
    const touch = touches.current.get(event.pointerId);
    touches.current.delete(event.pointerId);
    if (touch !== undefined) controls.release(touch);
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
      {controls.steers && (
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
