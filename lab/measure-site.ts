/** `npm run lab -- measure-site`: what the site costs a person: first load, frame rate, time from a key to the next picture. */
import type { Browser, Page } from "playwright-core";
import { toSitePath } from "../domain/site.ts";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { launchBrowser, openPage } from "../test/web/support/browser.ts";
import { openSiteWorld, type SiteWorld } from "../test/web/support/site-world.ts";

interface Row {
  readonly what: string;
  readonly value: string;
}

const getQuantile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

const FRAMES = 240;
const KEYS = 30;

/** Milliseconds between the pictures of the page, one after the other. */
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

/** Milliseconds from a key to the end of the drawing of the next picture, which shows the answer. */
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

async function measureLoad(browser: Browser, world: SiteWorld): Promise<readonly Row[]> {
  const { page } = await openPage(browser, world.url, [world.url]);
  await page.locator(".stage canvas").waitFor();
  const load = await page.evaluate(() => {
    const files = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const own = files.filter(({ name }) => new URL(name).pathname.startsWith("/assets/"));
    const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return {
      bytes: own.reduce((sum, file) => sum + file.encodedBodySize, page!.encodedBodySize),
      paintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    };
  });
  await page.context().close();
  return [
    { what: "first load of `/`, compressed: page, scripts and styles", value: `${(load.bytes / 1000).toFixed(1)} kB` },
    { what: "first contentful paint of `/`", value: `${Math.round(load.paintMs)} ms` },
  ];
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
  summary: "measures first load, frame rate and the answer to a key in a headless Chromium",
  flags: { short: { type: "boolean", help: "a few pictures only: whether it works" } },
  examples: ["npm run lab -- measure-site"],
  notes: ["Needs a Chromium: ARCADE_CHROMIUM, /usr/bin/chromium when absent. Figures need a quiet machine."],
  async run({ flags }, terminal) {
    const share = flags.short === true ? 0.1 : 1;
    const world = await openSiteWorld();
    const browser = await launchBrowser();
    try {
      const rows = [
        ...(await measureLoad(browser, world)),
        ...(await measureWatching(browser, world, FRAMES * share)),
        ...(await measurePractice(browser, world, KEYS * share)),
      ];
      terminal.print("| what | figure |\n|---|---|");
      for (const { what, value } of rows) terminal.print(`| ${what} | ${value} |`);
      terminal.printJson({ ok: true, rows });
    } finally {
      await browser.close();
      await world.close();
    }
    return EXIT.ok;
  },
});
