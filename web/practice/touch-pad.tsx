/** Touch controls on the picture: a tap acts, a held touch on one half steers. */
import { useRef } from "preact/hooks";
import { LeftIcon, RightIcon } from "../components/icons.tsx";
import type { Controls } from "./controls.ts";
import { findBindingAt, getTouchLayout, type KeyBinding } from "./key-bindings.ts";

export function TouchPad({ controls }: { readonly controls: Controls }) {
  const bindingsByPointerId = useRef(new Map<number, KeyBinding>());
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const element = event.currentTarget as HTMLElement;
    const box = element.getBoundingClientRect();
    const binding = findBindingAt(
      controls.bindings,
      (event.clientX - box.left) / box.width,
      (event.clientY - box.top) / box.height,
    );
    if (binding === undefined) return;
    // The release counts wherever the finger is lifted.
    element.setPointerCapture(event.pointerId);
    bindingsByPointerId.current.set(event.pointerId, binding);
    controls.press(binding);
  };
  const release = (event: PointerEvent): void => {
    const binding = bindingsByPointerId.current.get(event.pointerId);
    bindingsByPointerId.current.delete(event.pointerId);
    if (binding !== undefined) controls.release(binding);
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
      {getTouchLayout(controls.bindings) === "sides" && (
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
