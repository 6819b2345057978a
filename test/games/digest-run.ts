/** Prints the digest of a run: `node digest-run.ts SLUG SEED_NUMBER TICKS`. Also used inside the test process. */
import { digestJson } from "../../domain/canonical-json.ts";
import type { Game } from "../../games/game.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";
import { findGame } from "../fixtures/games.ts";

/**
 * Digest of the state after a run of scripted inputs: an input code every few ticks, derived only from the tick.
 * `unhurt` runs never end, so that they reach the later course.
 */
export function digestRun(
  game: Game,
  seedNumber: number,
  ticks: number,
  tickHz = game.tickHz,
  isInvulnerable = false,
): string {
  const state = game.init(toSeed(seedNumber), tickHz);
  for (let tick = 1; tick <= ticks; tick += 1) {
    if (isInvulnerable) Object.assign(state, { safeBeats: 60, hunger: 0 });
    const input = game.inputs[(tick * 7 + (tick >> 3)) % game.inputs.length]!;
    game.step(state, tick % 5 === 0 && input.mode !== "idle" ? [input.code] : []);
  }
  return digestJson(state);
}

if (import.meta.main) {
  const [slug = "", seedNumber, ticks] = process.argv.slice(2);
  process.stdout.write(digestRun(findGame(slug)!, Number(seedNumber), Number(ticks)));
}
