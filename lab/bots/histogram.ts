/** The histogram of docs/games-bots.svg: how long the bots survive. */
import type { Game } from "../../games/game.ts";
import type { BotRun } from "../../scripts/evaluate/play.ts";

export const BOTS = ["reference", "random"] as const;
const COLORS = { reference: "#2d8aa6", random: "#ff8c5a" } as const;
const BIN_SECONDS = 5;
const BINS = 40;
const PANEL = { width: 760, height: 240, left: 48, bottom: 34, top: 30 };

/** `runs`: of each bot, by its number. `place`: the panels are one below the other. */
export function drawPanel(game: Game, runs: readonly (readonly BotRun[])[], place: number): string {
  const seeds = runs[0]!.length;
  const y = place * PANEL.height;
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

export function drawHistogram(panels: readonly string[]): string {
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
