/** Runs Lighthouse on the site's pages, as a phone of the middle class on a slow mobile network. */
import { type Browser, chromium } from "playwright-core";
import { findFreePort } from "../scripts/fleet/free-port.ts";

export interface PageReport {
  readonly path: string;
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  /** The total of what tasks took beyond 50 ms each, until the page is interactive. */
  readonly blockedMs: number;
  readonly shift: number;
  /** Out of 100, in the order of `CATEGORIES`. */
  readonly scores: readonly number[];
}

export const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;

/**
 * The speed of a phone of the middle class, in Lighthouse's `benchmarkIndex`: a quarter of 1,750, which is the middle of
 * the class of computers that its constant divisor of 4 is made for. See "Calibrating the CPU slowdown" in Lighthouse's
 * `docs/throttling.md`.
 */
const PHONE_INDEX = 1750 / 4;
/** How often this machine's speed is measured. */
const INDEX_RUNS = 5;
const PAGE_RUNS = 3;
/** Lighthouse's constants of a slow mobile network. */
const SLOW_NETWORK = { rttMs: 150, throughputKbps: 1638.4 };

const MEASURES = [
  "first-contentful-paint",
  "largest-contentful-paint",
  "total-blocking-time",
  "cumulative-layout-shift",
] as const;
type Lighthouse = (
  url: string,
  flags: object,
) => Promise<{
  readonly lhr: {
    readonly environment: { readonly benchmarkIndex: number };
    readonly audits: { readonly [name: string]: { readonly numericValue?: number } };
    readonly categories: { readonly [name: string]: { readonly score: number | null } };
    readonly runtimeError?: { readonly message: string };
  };
}>;

/** A trace is sometimes lost. */
const TRIES = 3;

function getMedian<T>(values: readonly T[], by: (value: T) => number): T {
  return [...values].sort((one, other) => by(one) - by(other))[Math.floor(values.length / 2)]!;
}

async function openDebuggedBrowser(port: number): Promise<Browser> {
  const executablePath = process.env.ARCADE_CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox", `--remote-debugging-port=${port}`] });
}

async function runLighthouse(url: string, flags: object) {
  // In a variable, because the package is installed on first use and the compiler may not find it.
  const name = "lighthouse";
  const { default: lighthouse } = (await import(name)) as { readonly default: Lighthouse };
  const port = await findFreePort();
  const browser = await openDebuggedBrowser(port);
  try {
    return (await lighthouse(url, { port, logLevel: "silent", ...flags })).lhr;
  } finally {
    await browser.close();
  }
}

/** By what to divide this machine's speed to get a phone's. At least 1: a slow machine cannot be made faster. */
async function measureSlowdown(url: string): Promise<number> {
  const indexes: number[] = [];
  for (let run = 0; run < INDEX_RUNS; run += 1) {
    const { environment } = await runLighthouse(url, { onlyAudits: ["first-contentful-paint"] });
    indexes.push(environment.benchmarkIndex);
  }
  return Math.max(1, getMedian(indexes, (index) => index) / PHONE_INDEX);
}

async function measurePage(url: string, path: string, cpuSlowdownMultiplier: number): Promise<PageReport> {
  const throttling = { ...SLOW_NETWORK, cpuSlowdownMultiplier };
  for (let left = TRIES; ; left -= 1) {
    const { audits, categories, runtimeError } = await runLighthouse(url + path, {
      onlyCategories: [...CATEGORIES],
      throttling,
    });
    const [firstPaintMs, largestPaintMs, blockedMs, shift] = MEASURES.map((measure) => audits[measure]?.numericValue);
    if (firstPaintMs !== undefined && largestPaintMs !== undefined && blockedMs !== undefined && shift !== undefined) {
      const scores = CATEGORIES.map((category) => Math.round((categories[category]?.score ?? 0) * 100));
      return { path, firstPaintMs, largestPaintMs, blockedMs, shift, scores };
    }
    if (left === 1) throw new Error(`${path}: ${runtimeError?.message ?? "Lighthouse measured nothing"}`);
  }
}

/** One page after another: of each the run with the median score of performance. */
export async function measureWithLighthouse(
  url: string,
  paths: readonly string[],
): Promise<{ readonly slowdown: number; readonly reports: readonly PageReport[] }> {
  const slowdown = await measureSlowdown(url);
  const reports: PageReport[] = [];
  for (const path of paths) {
    const runs: PageReport[] = [];
    for (let run = 0; run < PAGE_RUNS; run += 1) runs.push(await measurePage(url, path, slowdown));
    reports.push(getMedian(runs, ({ scores }) => scores[0]!));
  }
  return { slowdown, reports };
}
