import { useEffect, useMemo } from "preact/hooks";
import { Controls } from "./controls.ts";
import type { Practice } from "./practice.ts";

/** Space and Enter belong to a focused button or link, not to the game. */
const isForPage = (event: KeyboardEvent): boolean =>
  event.target instanceof Element &&
  event.target.closest("button, a, input") !== null &&
  (event.code === "Space" || event.code === "Enter");

/** Hands keys to the game while a run is on, and pauses it when its page is left for another tab. */
export function useControls(practice: Practice): Controls {
  const controls = useMemo(() => new Controls(practice.game, (message) => practice.steer(message)), [practice]);
  useEffect(() => {
    const isOn = (): boolean => practice.state.value.at === "playing";
    const down = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.code === "Enter" && !isOn() && !isForPage(event)) void practice.play();
      if (!isOn() || isForPage(event)) return;
      if (event.code === "KeyP" && !event.repeat) practice.togglePause();
      else if (!controls.keyDown(event.code, event.repeat)) return;
      event.preventDefault();
    };
    const up = (event: KeyboardEvent): void => controls.keyUp(event.code);
    const away = (): void => controls.releaseAll();
    const hidden = (): void => {
      if (document.hidden && practice.show.value.frame.value?.phase === "running") practice.command("pause");
    };
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    addEventListener("blur", away);
    document.addEventListener("visibilitychange", hidden);
    return () => {
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
      removeEventListener("blur", away);
      document.removeEventListener("visibilitychange", hidden);
    };
  }, [practice, controls]);
  return controls;
}
