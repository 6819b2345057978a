/**
 * `npm run lab -- distributions`: measures the bots over many seeds, and writes the table of docs/games.md and its
 * histogram, docs/games-bots.svg. The seeds are always the same, so the figures are, too.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Bot, Game } from "../games/game.ts";
import { games } from "../games/index.ts";
import { defineCommand, parseCount } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { listGamesWithRows, replaceBlock } from "../scripts/dev/docs/document-block.ts";
import { type BotRun, playBot, toSeed } from "../scripts/evaluate/play.ts";
import { formatRow, summarizeRuns, TABLE_HEAD } from "../scripts/evaluate/table.ts";
import { BOTS, drawHistogram, drawPanel } from "./bots/histogram.ts";

const HISTOGRAM_URL = new URL("../docs/games-bots.svg", import.meta.url);
const DOCUMENT_URL = new URL("../docs/games.md", import.meta.url);
const SEEDS = 1_000;

function playSeeds(game: Game, name: (typeof BOTS)[number], seeds: number): BotRun[] {
  const createBot = (seed: number): Bot => game.bots[name](seed);
  return Array.from({ length: seeds }, (_, seed) => playBot(game, toSeed(seed), createBot(seed)));
}

export const command = defineCommand({
  name: "lab distributions",
  summary: "measures the bots over many seeds, and writes the table of docs/games.md and docs/games-bots.svg",
  flags: {
    seeds: { type: "string", value: "N", help: "how many", default: String(SEEDS) },
    check: { type: "boolean", help: "write nothing; exit code 1 if the figures of the games in the table differ" },
  },
  examples: ["npm run lab -- distributions", "npm run lab -- distributions --check"],
  async run({ flags }, terminal) {
    const seeds = parseCount("seeds", flags.seeds, SEEDS, 100_000);
    const document = readFileSync(DOCUMENT_URL, "utf8");
    const measured = flags.check === true ? listGamesWithRows(document, games) : games;
    const rows: string[] = [];
    const panels = measured.map((game, place) => {
      const runs = BOTS.map((name) => playSeeds(game, name, seeds));
      for (const [i, name] of BOTS.entries()) rows.push(formatRow(summarizeRuns(game.slug, name, runs[i]!)));
      return drawPanel(game, runs, place);
    });
    for (const row of rows) terminal.print(row);
    const text = replaceBlock(document, "bots", [...TABLE_HEAD, ...rows]);
    const stale: string[] = [];
    if (flags.check === true) {
      if (document !== text) stale.push("docs/games.md");
      if (readFileSync(HISTOGRAM_URL, "utf8") !== drawHistogram(panels)) stale.push("docs/games-bots.svg");
      for (const path of stale) process.stderr.write(`${path} is not current: run npm run lab -- distributions\n`);
    } else {
      writeFileSync(DOCUMENT_URL, text);
      writeFileSync(HISTOGRAM_URL, drawHistogram(panels));
    }
    terminal.printJson({ ok: stale.length === 0, stale });
    return stale.length === 0 ? EXIT.ok : EXIT.error;
  },
});
