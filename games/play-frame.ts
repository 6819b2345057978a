import type { Game, GameState, PlayFrame } from "./game.ts";

/** A state's frame as a player would receive it over the channel, without a server. */
export function toPlayFrame(game: Game, state: GameState): PlayFrame {
  const { extra, score, ...common } = game.frame(state);
  return {
    ...extra,
    ...common,
    v: 1,
    sessionId: "00000000-0000-7000-8000-000000000000",
    slug: game.slug,
    tMs: Math.round((state.tick * 1000) / state.tickHz),
    phase: state.over ? "ended" : "running",
    score: { current: score, high: score },
    spectators: { current: 0, max: 50 },
  };
}
