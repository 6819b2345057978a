/**
 * The lives that every game shares: a loss ends the streak and begins a time without further losses; the last one ends
 * the run. Replays of every rules version run through here, so a change of these lines is a new rules version.
 */
import type { GameState } from "./game.ts";

interface LivesState<Reason> extends Pick<GameState, "lives" | "over" | "events"> {
  /** Successes since the last lost life, in games that count them. */
  streak?: number;
  /** Time left in which obstacles cost no life, in beats. */
  safeBeats: number;
  /** What took the last life; null before. */
  gameOverReason: Reason | null;
}

/** Takes one life for `reason`; obstacles cost no other for `safeBeats`. */
export function loseLife<Reason extends string>(state: LivesState<Reason>, reason: Reason, safeBeats: number): void {
  state.lives -= 1;
  if (state.streak !== undefined) state.streak = 0;
  state.safeBeats = safeBeats;
  state.events.push({ event: "life_lost", reason, lives: state.lives });
  if (state.lives === 0) {
    state.over = true;
    state.gameOverReason = reason;
  }
}
