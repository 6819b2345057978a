import type { Replay } from "../../../domain/replay/replay.ts";
import type { Game } from "../../../games/game.ts";
import { recordSession } from "../../../test/games/recorded-session.ts";

const MINUTES = 10;
/** The reference bot reaches about two and a half minutes in its best runs. */
const SEEDS = 60;

/** Replays of the reference bot's longest runs, ten minutes of play in all: games become too fast for one such run. */
export function recordTenMinutes(game: Game): readonly Replay[] {
  const runs = Array.from({ length: SEEDS }, (_, seed) =>
    recordSession({ game, seedNumber: seed + 1, bot: game.bots.reference() }),
  );
  const replays = runs.map(({ replay }) => replay).sort((one, other) => other.ticks - one.ticks);
  let ticks = 0;
  return replays.filter((replay) => {
    const isNeeded = ticks < MINUTES * 60 * game.tickHz;
    ticks += isNeeded ? replay.ticks : 0;
    return isNeeded;
  });
}
