/**
 * Measures what a fair game must hold: `node test/games/bars.ts [SEEDS] [PLANNED_SEEDS]` writes two tables of
 * docs/games.md; `--check` plays fewer seeds, fresh ones in every run, writes nothing, and sets the exit code 1 where a
 * bar is missed by more than so few seeds can err.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Bot, Game } from "../../backend/games/game.ts";
import { games } from "../../backend/games/index.ts";
import { getQuantile } from "../../scripts/evaluate/play.ts";
import { replaceBlock } from "../../tools/docs/document-block.ts";
import { computeSeedShare, playDelayed, type Run, toFreshSeed } from "./delayed-play.ts";

const DOCUMENT_URL = new URL("../../docs/games.md", import.meta.url);
const DELAYS_MS = [0, 100, 300, 600];
/** Seeds and runs of each for the share of the seed; every frame goes unanswered with this probability. */
const SHARE = { seeds: 50, runs: 20, unanswered: 0.15 };
const FULL = {
  seeds: 1000,
  planned: 97,
  delayed: 200,
  share: SHARE,
  limits: { unfed: 60, ratio: 5, share: 0.25, kept: 95 },
};
const FEW = { seeds: 60, planned: 4, delayed: 40, share: { ...SHARE, seeds: 24, runs: 10 } };
const CHECKED = { ...FEW, limits: { unfed: 66, ratio: 2.5, share: 0.45, kept: 85 } };

interface Bar {
  readonly name: string;
  readonly bar: string;
  readonly value: string;
  readonly isMet: boolean;
}

const getMedian = (runs: readonly Run[]): number => getQuantile(runs.map(({ score }) => score), 0.5); // biome-ignore format: short
const percentOf = (runs: readonly Run[], is: (run: Run) => boolean): number =>
  (100 * runs.filter(is).length) / runs.length;
const getPointsPerMinute = (runs: readonly Run[]): number =>
  (60 * runs.reduce((sum, { score }) => sum + score, 0)) / runs.reduce((sum, { seconds }) => sum + seconds, 0);

function measureBars(game: Game, master: string, sizes: typeof FULL): Bar[] {
  const play = (createBot: (seed: number) => Bot, count = sizes.seeds, seesFood = true): Run[] =>
    Array.from({ length: count }, (_, n) =>
      playDelayed(game, toFreshSeed(master, n), createBot(n), { delayMs: 0, looksAhead: false, seesFood }),
    );
  const reference = play(game.bots.reference);
  const idle = play(() => () => null);
  const random = play(game.bots.random);
  const unfed = play(game.bots.reference, sizes.seeds, false);
  const planned = game.bots.better ? play(game.bots.better, sizes.planned) : [];
  const idleShare = (100 * getPointsPerMinute(idle)) / getPointsPerMinute(reference);
  const isReached = ({ tier1Seconds }: Run): boolean => tier1Seconds !== null;
  const inTwoMinutes = percentOf(reference, ({ tier1Seconds }) => tier1Seconds !== null && tier1Seconds <= 120);
  const medianSeconds = getQuantile(reference.map(({ seconds }) => seconds), 0.5); // biome-ignore format: short
  const unfedSeconds = getQuantile(unfed.map(({ seconds }) => seconds), 0.95); // biome-ignore format: short
  const ratio = getMedian(planned) / getMedian(reference);
  const mortal = percentOf(planned, ({ seconds }) => seconds <= 900);
  const share = computeSeedShare(game, `${master} share`, sizes.share);
  const toBar = (name: string, bar: string, value: string, isMet: boolean): Bar => ({ name, bar, value, isMet });
  const percent = (value: number): string => `${value.toFixed(1)} %`;
  return [
    toBar("sends nothing: points a minute, of the reference bot's", "<= 5 %", percent(idleShare), idleShare <= 5),
    toBar("sends nothing: first tier", "<= 2 %", percent(percentOf(idle, isReached)), percentOf(idle, isReached) <= 2),
    toBar("random: first tier", "<= 20 %", percent(percentOf(random, isReached)), percentOf(random, isReached) <= 20),
    toBar("reference: first tier within 2 minutes", ">= 90 %", percent(inTwoMinutes), inTwoMinutes >= 90),
    toBar(
      "reference: median run",
      "about 120 s",
      `${medianSeconds.toFixed(0)} s`,
      medianSeconds > 90 && medianSeconds < 150,
    ),
    toBar(
      "reference without food: 95 % are over",
      "within 60 s",
      `${unfedSeconds.toFixed(0)} s`,
      unfedSeconds <= sizes.limits.unfed,
    ),
    toBar(
      `better (${planned.length} seeds): median points, of the reference bot's`,
      ">= 5 times",
      `${ratio.toFixed(1)} times`,
      ratio >= sizes.limits.ratio,
    ),
    toBar("better: runs that end within 15 minutes", ">= 95 %", percent(mortal), mortal >= 95),
    toBar(
      "reference: share of the seed in the variance of points",
      "<= 0.25",
      share.toFixed(2),
      share <= sizes.limits.share,
    ),
  ];
}

/** The rows of the latency table, and whether looking ahead keeps 95 % at 100 ms and 80 % at 300 ms. */
function measureDelays(
  game: Game,
  master: string,
  { delayed, limits }: typeof FULL,
): { readonly rows: string[]; readonly isMet: boolean } {
  const shares = new Map<string, number>();
  let base = 0;
  const rows = DELAYS_MS.flatMap((delayMs) =>
    (delayMs === 0 ? [false] : [false, true]).map((looksAhead) => {
      const runs = Array.from({ length: delayed }, (_, n) =>
        playDelayed(game, toFreshSeed(master, n), game.bots.reference(), { delayMs, looksAhead, seesFood: true }),
      );
      const median = getMedian(runs);
      if (delayMs === 0) base = median;
      shares.set(`${delayMs} ${looksAhead}`, (100 * median) / base);
      const tier = percentOf(runs, ({ tier1Seconds }) => tier1Seconds !== null);
      const cells = [game.slug, `${delayMs} ms`, looksAhead ? "yes" : "no", median, `${((100 * median) / base).toFixed(0)} %`, `${tier.toFixed(1)} %`]; // biome-ignore format: a row
      return `| ${cells.join(" | ")} |`;
    }),
  );
  return { rows, isMet: shares.get("100 true")! >= limits.kept && shares.get("300 true")! >= 80 };
}

if (import.meta.main) {
  const isCheck = process.argv.includes("--check");
  const [seeds = FULL.seeds, planned = FULL.planned] = process.argv
    .slice(2)
    .filter((each) => /^\d+$/.test(each))
    .map(Number);
  const master = isCheck ? randomBytes(8).toString("hex") : "bars of the second rules";
  console.log(`seeds: ${master}`);
  const full = { ...FULL, ...(seeds < FULL.seeds ? FEW : {}), seeds, planned };
  const sizes = isCheck ? CHECKED : full;
  const measured = games.filter(({ resume }) => resume !== undefined);
  const results = measured.map((game) => ({
    slug: game.slug,
    bars: measureBars(game, master, sizes),
    delays: measureDelays(game, `${master} delay`, sizes),
  }));
  const names = results[0]!.bars.map(({ name, bar }) => ({ name, bar }));
  const bars = [
    `| what | bar | ${results.map(({ slug }) => slug).join(" | ")} |`,
    `|---|---|${results.map(() => "---").join("|")}|`,
    ...names.map(
      ({ name, bar }, i) => `| ${name} | ${bar} | ${results.map((each) => each.bars[i]!.value).join(" | ")} |`,
    ),
  ];
  const delays = [
    "| game | delay | looks ahead | median points | of those at 0 ms | first tier |",
    "|---|---|---|---|---|---|",
    ...results.flatMap(({ delays: { rows } }) => rows),
  ];
  for (const line of [...bars, ...delays]) console.log(line);
  for (const { slug, bars: each, delays: delayed } of results) {
    for (const { name, bar, value, isMet } of each) if (!isMet) console.error(`${slug}: ${name}: ${bar}, not ${value}`);
    if (!delayed.isMet) console.error(`${slug}: looking ahead keeps too little`);
    if (isCheck && !(each.every(({ isMet }) => isMet) && delayed.isMet)) process.exitCode = 1;
  }
  if (!isCheck) {
    const text = replaceBlock(readFileSync(DOCUMENT_URL, "utf8"), "bars", bars);
    writeFileSync(DOCUMENT_URL, replaceBlock(text, "delays", delays));
  }
}
