/** Switches the picture to full screen and back. Absent if the browser does not support it. */
import type { RefObject } from "preact";
import { FullScreenIcon } from "../components/icons.tsx";
import { HUD_LABELS } from "../labels/session.ts";

export function FullScreenButton({ target }: { readonly target: RefObject<HTMLElement | null> }) {
  if (typeof document === "undefined" || !document.fullscreenEnabled) return null;
  const toggle = async (): Promise<void> => {
    if (document.fullscreenElement === null) await target.current?.requestFullscreen();
    else await document.exitFullscreen();
  };
  return (
    <button
      type="button"
      class="full-screen"
      aria-label={HUD_LABELS.fullScreen}
      title={HUD_LABELS.fullScreen}
      // The browser may reject it, and the page stays as it is.
      onClick={() => void toggle().catch(() => undefined)}
    >
      <FullScreenIcon />
    </button>
  );
}
