/** `npm run lab -- measure-site`: first loads, Lighthouse scores, frame rate, and the time from key to picture. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { toSitePath } from "../domain/site.ts";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { replaceBlock } from "../scripts/dev/docs/document-block.ts";
import { root } from "../scripts/start/build.ts";
import { launchBrowser, openPage } from "../test/web/support/browser.ts";
import { openSiteWorld, type SiteWorld } from "../test/web/support/site-world.ts";
import { installPackages } from "./install-packages.ts";
import { CATEGORIES, measureWithLighthouse } from "./lighthouse.ts";

interface Row {
  readonly what: string;
  readonly value: string;
}

const getQuantile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

const DOCUMENT = join(root, "docs/site.md");
const FRAMES = 240;
const KEYS = 30;

/** The milliseconds between consecutive frames of the page. */
const measureFrames = (page: Page, count: number): Promise<number[]> =>
  page.evaluate(async (frames) => {
    const gaps: number[] = [];
    let lastMs = await new Promise<number>(requestAnimationFrame);
    while (gaps.length < frames) {
      const nowMs = await new Promise<number>(requestAnimationFrame);
      gaps.push(nowMs - lastMs);
      lastMs = nowMs;
    }
    return gaps;
  }, count);

/** The milliseconds from a key press until the next picture, which shows its effect, is drawn. */
const measureKeys = (page: Page, count: number): Promise<number[]> =>
  page.evaluate(async (keys) => {
    const times: number[] = [];
    for (let key = 0; key < keys; key += 1) {
      await new Promise((resolve) => setTimeout(resolve, 37));
      const startedMs = performance.now();
      const type = key % 2 === 0 ? "keydown" : "keyup";
      dispatchEvent(new KeyboardEvent(type, { code: "ArrowLeft", bubbles: true }));
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - startedMs);
    }
    return times;
  }, count);

/** The pages in the tables, by their names there. */
const listPages = ({ onChainRun, agent }: SiteWorld): readonly (readonly [name: string, path: string])[] => [
  ["`/`", "/"],
  ["`/runs/{id}`", toSitePath("run", { id: onChainRun.sessionId })],
  ["`/runs`", "/runs"],
  ["`/leaderboard`", "/leaderboard"],
  ["`/games/{game}`", toSitePath("game", { game: "flappybots" })],
  ["`/agents/{id}`", toSitePath("agent", { id: agent.agentId })],
  ["`/search`", "/search?q=plover"],
  ["`/market`", "/market"],
  ["`/account`", "/account"],
  ["`/stats`", "/stats"],
  ["`/docs/guides/agents`", "/docs/guides/agents"],
];

/** The first load of one page: the page and all its scripts, compressed. */
async function measureLoad(browser: Browser, world: SiteWorld, path: string) {
  const { page } = await openPage(browser, world.url + path, [world.url, new URL(world.stack.chain.rpcUrl).origin]);
  await page.waitForLoadState("networkidle");
  const load = await page.evaluate(() => {
    const files = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const own = files.filter(({ name }) => new URL(name).pathname.startsWith("/assets/"));
    const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return {
      bytes: own.reduce((sum, file) => sum + file.encodedBodySize, page!.encodedBodySize),
      scripts: own.filter(({ name }) => name.endsWith(".js")).length,
    };
  });
  await page.context().close();
  return load;
}

const toSeconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** `isShort`: only the first load of the first page. */
async function tabulatePages(browser: Browser, world: SiteWorld, isShort: boolean): Promise<readonly string[]> {
  const pages = isShort ? listPages(world).slice(0, 1) : listPages(world);
  const { slowdown, reports } = isShort
    ? { slowdown: null, reports: [] }
    : await measureWithLighthouse(
        world.url,
        pages.map(([, path]) => path),
      );
  const lines = [
    `| page | first load | scripts | first paint | largest paint | blocked | layout shift | ${CATEGORIES.join(", ")} |`,
    "|---|---|---|---|---|---|---|---|",
  ];
  for (const [index, [name, path]] of pages.entries()) {
    const { bytes, scripts } = await measureLoad(browser, world, path);
    const report = reports[index];
    const found =
      report === undefined
        ? ["–", "–", "–", "–", "–"]
        : [
            toSeconds(report.firstPaintMs),
            toSeconds(report.largestPaintMs),
            `${Math.round(report.blockedMs)} ms`,
            report.shift.toFixed(3),
            report.scores.join(", "),
          ];
    lines.push(`| ${[name, `${(bytes / 1000).toFixed(1)} kB`, scripts, ...found].join(" | ")} |`);
  }
  return slowdown === null
    ? lines
    : [...lines, "", `Lighthouse divided this machine's speed by ${slowdown.toFixed(1)}.`];
}

async function measureWatching(browser: Browser, world: SiteWorld, frames: number): Promise<readonly Row[]> {
  const live = await world.startLiveRun("shellrunners");
  const path = toSitePath("watch", { id: live.sessionId });
  const { page } = await openPage(browser, world.url + path, [world.url]);
  await page.locator('[data-phase="running"]').waitFor();
  const gaps = await measureFrames(page, frames);
  await page.context().close();
  await live.stop();
  const meanMs = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return [
    { what: "pictures a second while watching shellrunners", value: (1000 / meanMs).toFixed(1) },
    { what: "time between two of them, p99", value: `${getQuantile(gaps, 0.99).toFixed(1)} ms` },
  ];
}

async function measurePractice(browser: Browser, world: SiteWorld, keys: number): Promise<readonly Row[]> {
  const path = toSitePath("practice", { game: "shellrunners" });
  const { page } = await openPage(browser, world.url + path, [world.url]);
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator('[data-phase="running"]').waitFor();
  const times = await measureKeys(page, keys);
  await page.context().close();
  const [median, p99] = [getQuantile(times, 0.5), getQuantile(times, 0.99)].map((ms) => ms.toFixed(1));
  return [{ what: "practice: from a key to the next picture, median and p99", value: `${median} and ${p99} ms` }];
}

export const command = defineCommand({
  name: "lab measure-site",
  summary: "measures first loads, Lighthouse, frame rate and the answer to a key, and writes them into docs/site.md",
  flags: { short: { type: "boolean", help: "one page and a few pictures, as a test; write nothing" } },
  examples: ["npm run lab -- measure-site"],
  notes: ["Needs a Chromium: ARCADE_CHROMIUM, /usr/bin/chromium when absent. Figures need a quiet machine."],
  async run({ flags }, terminal) {
    const isShort = flags.short === true;
    const share = isShort ? 0.1 : 1;
    installPackages(terminal);
    const world = await openSiteWorld();
    const browser = await launchBrowser();
    try {
      const rows = [
        ...(await measureWatching(browser, world, FRAMES * share)),
        ...(await measurePractice(browser, world, KEYS * share)),
      ];
      const pages = await tabulatePages(browser, world, isShort);
      const figures = ["| what | figure |", "|---|---|", ...rows.map(({ what, value }) => `| ${what} | ${value} |`)];
      for (const line of [...pages, "", ...figures]) terminal.print(line);
      terminal.printJson({ ok: true, rows, pages });
      if (!isShort) {
        const text = replaceBlock(readFileSync(DOCUMENT, "utf8"), "pages", pages);
        writeFileSync(DOCUMENT, replaceBlock(text, "figures", figures));
      }
    } finally {
      await browser.close();
      await world.close();
    }
    return EXIT.ok;
  },
});
