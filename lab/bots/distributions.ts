/**
 * Measures the bots over many seeds: `node lab/bots/distributions.ts [SEEDS] [--check]`. Writes the table of
 * docs/games.md and its histogram, docs/games-bots.svg; `--check` compares both with what is there, for the games that
 * the table has. The seeds are always the same, so the figures are, too.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Bot, Game } from "../../games/game.ts";
import { games } from "../../games/index.ts";
import { listGamesWithRows, replaceBlock } from "../../scripts/dev/docs/document-block.ts";
import { type BotRun, playBot, toSeed } from "../../scripts/evaluate/play.ts";
import { formatRow, summarizeRuns, TABLE_HEAD } from "../../scripts/evaluate/table.ts";

const BOTS = ["reference", "random"] as const;
const COLORS = { reference: "#2d8aa6", random: "#ff8c5a" } as const;
const HISTOGRAM_URL = new URL("../../docs/games-bots.svg", import.meta.url);
const GAMES_DOCUMENT_URL = new URL("../../docs/games.md", import.meta.url);
const BIN_SECONDS = 5;
const BINS = 40;
const PANEL = { width: 760, height: 240, left: 48, bottom: 34, top: 30 };

if (import.meta.main) {
  const isCheck = process.argv.includes("--check");
  const seeds = Number(process.argv.slice(2).find((option) => /^\d+$/.test(option)) ?? 1000);
  const document = readFileSync(GAMES_DOCUMENT_URL, "utf8");
  const rows: string[] = [];
  const measured = isCheck ? listGamesWithRows(document, games) : games;
  const panels = measured.map((game, index) => {
    const runs = BOTS.map((name) => playSeeds(game, name, seeds));
    for (const [i, name] of BOTS.entries()) rows.push(formatRow(summarizeRuns(game.slug, name, runs[i]!)));
    return drawPanel(game, runs, seeds, index * PANEL.height);
  });
  for (const row of rows) console.log(row);
  const text = replaceBlock(document, "bots", [...TABLE_HEAD, ...rows]);
  if (isCheck) checkDocuments(document === text, drawHistogram(panels));
  else {
    writeFileSync(GAMES_DOCUMENT_URL, text);
    writeFileSync(HISTOGRAM_URL, drawHistogram(panels));
  }
}

/** Sets the exit code 1 and prints what is not current in the documents. */
function checkDocuments(isTableCurrent: boolean, picture: string): void {
  const errors = isTableCurrent
    ? []
    : ["the table of docs/games.md is not current: run node lab/bots/distributions.ts"];
  if (readFileSync(HISTOGRAM_URL, "utf8") !== picture) errors.push("docs/games-bots.svg is not current");
  for (const error of errors) console.error(error);
  if (errors.length > 0) process.exitCode = 1;
}

function playSeeds(game: Game, name: (typeof BOTS)[number], seeds: number): BotRun[] {
  const createBot = (seed: number): Bot => game.bots[name](seed);
  return Array.from({ length: seeds }, (_, seed) => playBot(game, toSeed(seed), createBot(seed)));
}

function drawPanel(game: Game, runs: readonly (readonly BotRun[])[], seeds: number, y: number): string {
  const counts = runs.map((all) => {
    const bins = new Array<number>(BINS).fill(0);
    for (const run of all) bins[Math.min(BINS - 1, Math.floor(run.seconds / BIN_SECONDS))]! += 1;
    return bins;
  });
  const countMax = Math.max(...counts.flat());
  const span = { x: PANEL.width - PANEL.left - 16, y: PANEL.height - PANEL.top - PANEL.bottom };
  const base = y + PANEL.height - PANEL.bottom;
  const bars = counts.flatMap((bins, bot) =>
    bins.map((count, bin) => {
      if (count === 0) return "";
      const height = (count / countMax) * span.y;
      const x = PANEL.left + (bin * span.x) / BINS;
      const size = `width="${(span.x / BINS - 2).toFixed(1)}" height="${height.toFixed(1)}"`;
      return `<rect x="${x.toFixed(1)}" y="${(base - height).toFixed(1)}" ${size} fill="${COLORS[BOTS[bot]!]}" fill-opacity="0.85"/>`;
    }),
  );
  const labels = Array.from({ length: 11 }, (_, i) => {
    const x = PANEL.left + (i * span.x) / 10;
    return `<text x="${x.toFixed(0)}" y="${base + 16}" text-anchor="middle">${(i * BINS * BIN_SECONDS) / 10} s</text>`;
  });
  const title = `${game.title}: seconds survived, ${seeds} seeds each; the tallest bar is ${countMax} runs`;
  return [
    `<text x="${PANEL.left}" y="${y + 18}" font-weight="600">${title}</text>`,
    `<path d="M${PANEL.left} ${base}H${PANEL.width - 16}" stroke="#667085"/>`,
    ...bars.filter((bar) => bar !== ""),
    ...labels,
  ].join("\n");
}

function drawHistogram(panels: readonly string[]): string {
  const height = panels.length * PANEL.height + 30;
  const legend = BOTS.map((name, i) => {
    const x = PANEL.left + i * 120;
    return `<rect x="${x}" y="${height - 22}" width="12" height="12" fill="${COLORS[name]}"/><text x="${x + 18}" y="${height - 12}">${name}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PANEL.width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#344054">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...panels,
    ...legend,
    "</svg>",
    "",
  ].join("\n");
}
