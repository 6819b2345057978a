/** Runs Lighthouse on the site's pages, as a phone with a quarter of this machine's speed on a slow mobile network. */
import { type Browser, chromium } from "playwright-core";
import { findFreePort } from "../scripts/fleet/free-port.ts";

export interface PageReport {
  readonly path: string;
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  readonly shift: number;
  /** Out of 100, in the order of `CATEGORIES`. */
  readonly scores: readonly number[];
}

export const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;

const MEASURES = ["first-contentful-paint", "largest-contentful-paint", "cumulative-layout-shift"] as const;
type Lighthouse = (
  url: string,
  flags: object,
) => Promise<{
  readonly lhr: {
    readonly audits: { readonly [name: string]: { readonly numericValue?: number } };
    readonly categories: { readonly [name: string]: { readonly score: number | null } };
    readonly runtimeError?: { readonly message: string };
  };
}>;

/** A trace is sometimes lost. */
const TRIES = 3;

async function openDebuggedBrowser(port: number): Promise<Browser> {
  const executablePath = process.env.ARCADE_CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox", `--remote-debugging-port=${port}`] });
}

async function measurePage(url: string, path: string): Promise<PageReport> {
  // In a variable, because the package is installed on first use and the compiler may not find it.
  const name = "lighthouse";
  const { default: lighthouse } = (await import(name)) as { readonly default: Lighthouse };
  for (let left = TRIES; ; left -= 1) {
    const port = await findFreePort();
    const browser = await openDebuggedBrowser(port);
    try {
      const result = await lighthouse(url + path, { port, logLevel: "silent", onlyCategories: [...CATEGORIES] });
      const { audits, categories, runtimeError } = result.lhr;
      const [firstPaintMs, largestPaintMs, shift] = MEASURES.map((measure) => audits[measure]?.numericValue);
      if (firstPaintMs !== undefined && largestPaintMs !== undefined && shift !== undefined) {
        const scores = CATEGORIES.map((category) => Math.round((categories[category]?.score ?? 0) * 100));
        return { path, firstPaintMs, largestPaintMs, shift, scores };
      }
      if (left === 1) throw new Error(`${path}: ${runtimeError?.message ?? "Lighthouse measured nothing"}`);
    } finally {
      await browser.close();
    }
  }
}

/** One page after another. */
export async function measureWithLighthouse(url: string, paths: readonly string[]): Promise<readonly PageReport[]> {
  const reports: PageReport[] = [];
  for (const path of paths) reports.push(await measurePage(url, path));
  return reports;
}
