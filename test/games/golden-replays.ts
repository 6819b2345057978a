/**
 * Writes missing golden replays and digests: `node test/games/golden-replays.ts`. Existing files are never changed: they
 * contain the first results of their rules version.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Game } from "../../games/game.ts";
import { versions } from "../../games/index.ts";
import { computeGoldenDigests, GOLDEN_DIGESTS, getRulesName, readGoldenDigests } from "./golden-digests.ts";
import { recordSession, type SessionPlan } from "./recorded-session.ts";

export const GOLDEN_REPLAYS_FOLDER = fileURLToPath(new URL("../fixtures/replays/", import.meta.url));

export const getGoldenFileName = (game: Pick<Game, "slug" | "rulesVersion">, run: string): string =>
  `${game.slug}-${game.rulesVersion}-${run}.json`;

/** The runs of each rules version: one until all lives are lost, and one left after pauses at another tick rate. */
export const SESSION_PLANS: { readonly [run: string]: (game: Game) => SessionPlan } = {
  "lives-lost": (game) => ({
    game,
    seedNumber: 11,
    bot: (game.bots.quick ?? game.bots.reference)(35_000),
    pauseAt: [100],
  }),
  exit: (game) => ({ game, seedNumber: 12, bot: game.bots.random(12), tickHz: 60, pauseAt: [40, 90], exitAt: 300 }),
  entropy: (game) => ({
    game,
    seedNumber: 13,
    bot: game.bots.random(13),
    pauseAt: [30],
    exitAt: 700,
    entropy: "0xabcd",
  }),
};

if (import.meta.main) {
  mkdirSync(GOLDEN_REPLAYS_FOLDER, { recursive: true });
  for (const game of versions) {
    for (const [run, createPlan] of Object.entries(SESSION_PLANS)) {
      const path = GOLDEN_REPLAYS_FOLDER + getGoldenFileName(game, run);
      if (existsSync(path)) continue;
      writeFileSync(path, `${JSON.stringify(recordSession(createPlan(game)))}\n`);
      console.log(`wrote ${getGoldenFileName(game, run)}`);
    }
  }
  const digests = {
    ...Object.fromEntries(versions.map((game) => [getRulesName(game), computeGoldenDigests(game)])),
    ...readGoldenDigests(),
  };
  writeFileSync(GOLDEN_DIGESTS, `${JSON.stringify(digests, null, 2)}\n`);
}
