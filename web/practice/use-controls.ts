import { useEffect, useMemo } from "preact/hooks";
import { Controls } from "./controls.ts";
import type { PracticeSession } from "./practice-session.ts";

/** Space and Enter belong to a focused button or link, not to the game. */
const isForFocusedElement = (event: KeyboardEvent): boolean =>
  event.target instanceof Element &&
  event.target.closest("button, a, input") !== null &&
  (event.code === "Space" || event.code === "Enter");

/** Passes keys to the game during a run, and pauses the run when the user switches to another tab. */
export function useControls(practice: PracticeSession): Controls {
  const controls = useMemo(() => new Controls(practice.game, (message) => practice.sendInput(message)), [practice]);
  useEffect(() => {
    const isPlaying = (): boolean => practice.state.value.status === "playing";
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.code === "Enter" && !isPlaying() && !isForFocusedElement(event)) void practice.play();
      if (!isPlaying() || isForFocusedElement(event)) return;
      if (event.code === "KeyP" && !event.repeat) practice.togglePause();
      else if (!controls.keyDown(event.code, event.repeat)) return;
      event.preventDefault();
    };
    const onKeyUp = (event: KeyboardEvent): void => controls.keyUp(event.code);
    const onBlur = (): void => controls.releaseAll();
    const onVisibilityChange = (): void => {
      if (document.hidden && practice.sessionState.value.frame.value?.phase === "running")
        practice.sendCommand("pause");
    };
    addEventListener("keydown", onKeyDown);
    addEventListener("keyup", onKeyUp);
    addEventListener("blur", onBlur);
    document.addEventListener("visibilitychange", onVisibilityChange);
    return () => {
      removeEventListener("keydown", onKeyDown);
      removeEventListener("keyup", onKeyUp);
      removeEventListener("blur", onBlur);
      document.removeEventListener("visibilitychange", onVisibilityChange);
    };
  }, [practice, controls]);
  return controls;
}
