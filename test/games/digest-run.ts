/** Prints the digest of a run: `node digest-run.ts SLUG SEED_NUMBER TICKS`. Also used inside the test process. */
import { digestJson } from "../../backend/domain/replay.ts";
import type { Game } from "../../backend/games/game.ts";
import { findGame } from "../fixtures/games.ts";
import { seedOf } from "./helpers.ts";

/**
 * Digest of the state after a run of scripted inputs: an input code every few ticks, derived from the tick alone.
 * `unhurt` runs never end, so that they reach the later course.
 */
export function digestOfRun(
  game: Game,
  seedNumber: number,
  ticks: number,
  tickHz = game.tickHz,
  unhurt = false,
): string {
  const state = game.init(seedOf(seedNumber), tickHz);
  for (let tick = 1; tick <= ticks; tick += 1) {
    if (unhurt) Object.assign(state, { safeBeats: 60, hunger: 0 });
    const input = game.inputs[(tick * 7 + (tick >> 3)) % game.inputs.length]!;
    game.step(state, tick % 5 === 0 && input.mode !== "idle" ? [input.code] : []);
  }
  return digestJson(state);
}

if (import.meta.main) {
  const [slug = "", seedNumber, ticks] = process.argv.slice(2);
  process.stdout.write(digestOfRun(findGame(slug)!, Number(seedNumber), Number(ticks)));
}
