/** A game played without a server: the frames that a player receives, and the codes of its messages. */
import type { Bot, Game, GameState, PlayFrame } from "../../games/game.ts";

/** A state's frame as a player receives it. */
export function toPlayFrame(game: Game, state: GameState): PlayFrame {
  const { extra, score, ...frame } = game.frame(state);
  return {
    v: 1,
    sessionId: "00000000-0000-7000-8000-000000000000",
    slug: game.slug,
    tMs: Math.floor((state.tick * 1000) / state.tickHz),
    phase: state.over ? "ended" : "running",
    score: { current: score, high: 0 },
    spectators: { current: 0, max: 50 },
    ...frame,
    ...extra,
  };
}

/** The code a replay stores for a bot's message; null is no message. */
export function toInputCodes(game: Game, message: ReturnType<Bot>): number[] {
  if (message === null) return [];
  const found = game.inputs.find((input) =>
    Object.entries(input.message).every(([field, value]) => (message as { [field: string]: unknown })[field] === value),
  );
  if (!found) throw new Error(`${game.slug} has no input ${JSON.stringify(message)}`);
  return found.mode === "idle" ? [] : [found.code];
}
