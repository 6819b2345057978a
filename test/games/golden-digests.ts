/**
 * Digests of scripted runs per rules version, in test/fixtures/golden-digests.json. They never change: a change of the
 * rules that alters one is a new rules version beside the old one.
 */
import { readFileSync } from "node:fs";
import type { Game } from "../../games/game.ts";
import { digestRun } from "./digest-run.ts";

export const GOLDEN_DIGESTS = new URL("../fixtures/golden-digests.json", import.meta.url);

export type GoldenDigests = { readonly [rules: string]: readonly string[] };

export const readGoldenDigests = (): GoldenDigests => JSON.parse(readFileSync(GOLDEN_DIGESTS, "utf8"));

export const getRulesName = ({ slug, rulesVersion }: Pick<Game, "slug" | "rulesVersion">): string =>
  `${slug} ${rulesVersion}`;

/** A short run, a complete one, one at another tick rate, and one that never ends. */
export const computeGoldenDigests = (game: Game): string[] => [
  digestRun(game, 1, 40),
  digestRun(game, 2, 400),
  digestRun(game, 3, 900, 60),
  digestRun(game, 4, 6000, game.tickHz, true),
];
