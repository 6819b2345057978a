/**
 * Writes the golden replays and digests that are missing: `node test/games/golden-replays.ts`. What is there is never
 * written again: it is what its rules version gave on its first day.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Game } from "../../backend/games/game.ts";
import { versions } from "../../backend/games/index.ts";
import { GOLDEN_DIGESTS, goldenRuns, readGoldenDigests, rulesName } from "./golden-digests.ts";
import { type Plan, recordSession } from "./recorded-session.ts";

export const GOLDEN_FOLDER = fileURLToPath(new URL("../fixtures/replays/", import.meta.url));

export const nameOf = (game: Pick<Game, "slug" | "rulesVersion">, run: string): string =>
  `${game.slug}-${game.rulesVersion}-${run}.json`;

/** The runs of each rules version: to the end of all lives, and left after pauses at another tick rate. */
export const RUNS: { readonly [run: string]: (game: Game) => Plan } = {
  "lives-lost": (game) => ({ game, n: 11, bot: (game.bots.quick ?? game.bots.reference)(35_000), pauseAt: [100] }),
  exit: (game) => ({ game, n: 12, bot: game.bots.random(12), tickHz: 60, pauseAt: [40, 90], exitAt: 300 }),
};

if (import.meta.main) {
  mkdirSync(GOLDEN_FOLDER, { recursive: true });
  for (const game of versions) {
    for (const [run, planOf] of Object.entries(RUNS)) {
      const path = GOLDEN_FOLDER + nameOf(game, run);
      if (existsSync(path)) continue;
      writeFileSync(path, `${JSON.stringify(recordSession(planOf(game)))}\n`);
      console.log(`wrote ${nameOf(game, run)}`);
    }
  }
  const digests = {
    ...Object.fromEntries(versions.map((game) => [rulesName(game), goldenRuns(game)])),
    ...readGoldenDigests(),
  };
  writeFileSync(GOLDEN_DIGESTS, `${JSON.stringify(digests, null, 2)}\n`);
}
