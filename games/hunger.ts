/**
 * The hunger that every game shares: it rises with time, food resets it, and at its most it costs a life and begins
 * again. Replays of every rules version run through here, so a change of these lines is a new rules version.
 */
import { BEATS_PER_SECOND } from "./fixed.ts";
import type { GameState } from "./game.ts";

/** `hungerSub` counts what has not yet become a whole point, in points x beats per second. */
type HungerState = Pick<GameState, "hunger" | "events"> & { hungerSub: number };

export function resetHunger(state: HungerState): void {
  state.hunger = 0;
  state.hungerSub = 0;
}

/** Lets `beats` pass at `rate` points a second. True where it starved: the caller takes the life. */
export function advanceHunger(state: HungerState, pointsPerSecond: number, beats: number, hungerMax: number): boolean {
  state.hungerSub += pointsPerSecond * beats;
  const points = Math.floor(state.hungerSub / BEATS_PER_SECOND);
  state.hungerSub -= points * BEATS_PER_SECOND;
  state.hunger = Math.min(state.hunger + points, hungerMax);
  if (state.hunger < hungerMax) return false;
  resetHunger(state);
  state.events.push({ event: "starved" });
  return true;
}
