import type { Game, GameState, PlayFrame } from "./game.ts";

/** A state's frame as it would arrive over the channel. */
export function toPlayFrame(game: Game, state: GameState): PlayFrame {
  const { extra, score, ...common } = game.frame(state);
  return {
    ...extra,
    ...common,
    v: 1,
    sessionId: "demo",
    slug: game.slug,
    tMs: Math.round((state.tick * 1000) / state.tickHz),
    phase: state.over ? "ended" : "running",
    score: { current: score, high: score },
    spectators: { current: 0, max: 0 },
  };
}
