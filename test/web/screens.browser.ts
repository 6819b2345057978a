/** The pages of games and runs on every kind of screen, in both schemes: nothing broken, clipped, unreadable or from elsewhere. */
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { type SitePageName, toSitePath } from "../../backend/domain/site.ts";
import { launchBrowser, openPage, waitUntil } from "./support/browser.ts";
import { openSiteWorld, type SiteWorld } from "./support/site-world.ts";

const SCREENS = { phone: [390, 844], lying: [844, 390], desktop: [1280, 800] } as const;
const SCHEMES = ["dark", "light"] as const;

const PAGES = [
  "home",
  "watch",
  "run",
  "runs",
  "leaderboard",
  "game",
  "agent",
  "practice",
] as const satisfies readonly SitePageName[];

/** The address of each page, and what shows that it is complete. */
type Addresses = { readonly [name in (typeof PAGES)[number]]: { readonly path: string; readonly ready: string } };

const listAddresses = ({ agent, onChainRun }: SiteWorld): Addresses => ({
  home: { path: toSitePath("home"), ready: ".stage canvas" },
  /** Of a run that each test starts. */
  watch: { path: "", ready: '[data-phase="running"]' },
  run: { path: `${toSitePath("run", { id: onChainRun.sessionId })}?t=300`, ready: ".check-ok + .check-ok" },
  runs: { path: toSitePath("runs"), ready: ".table tbody tr" },
  leaderboard: { path: toSitePath("leaderboard"), ready: ".table tbody tr" },
  game: { path: toSitePath("game", { game: "shellrunners" }), ready: ".plot canvas" },
  agent: { path: toSitePath("agent", { id: agent.agentId }), ready: ".tile img" },
  practice: { path: toSitePath("practice", { game: "shellrunners" }), ready: ".card .button" },
});

/** Texts and pictures that stick out of the screen or of a box that cannot be scrolled. */
const listClipped = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push(`page: ${document.documentElement.scrollWidth}`);
    for (const element of document.querySelectorAll<HTMLElement>("main .card, main .button, main h1, main h2, nav a")) {
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.left < -1 || box.right > innerWidth + 1))
        found.push(`${element.tagName} "${element.textContent?.slice(0, 30)}"`);
      // What does not fit into its box has to be within reach by scrolling.
      const frame = element.closest<HTMLElement>(".screen");
      if (frame === null || !element.classList.contains("card")) continue;
      const outer = frame.getBoundingClientRect();
      if (box.top < outer.top - 1 || box.bottom > outer.bottom + 1) found.push(`clipped card "${element.textContent}"`);
    }
    // The whole field is on the screen at once.
    const field = document.querySelector<HTMLElement>(".layout .screen canvas")?.getBoundingClientRect();
    if (field !== undefined && (field.bottom + scrollY > innerHeight || field.right > innerWidth))
      found.push(`field: ends at ${Math.round(field.right)} x ${Math.round(field.bottom + scrollY)}`);
    return found;
  });

interface AxeResult {
  readonly violations: readonly { id: string; impact: string; nodes: readonly { target: unknown; html: string }[] }[];
}
const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function listAxeFindings(page: Page, axe: string): Promise<string[]> {
  // The policy of the site allows no other script; the browser's debugger may run one.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(
    () => (window as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run() as Promise<AxeResult>,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

describe("the pages of games and runs", function () {
  this.timeout(120_000);
  let world: SiteWorld;
  let browser: Browser;
  let addresses: Addresses;
  let axe: string;
  /** Where pictures of every page are written, to be looked at; none by default. */
  const pictureDir = process.env.ARCADE_SCREENSHOTS;

  before(async () => {
    world = await openSiteWorld();
    await world.startLiveRun("flappybots", "Dunlin");
    addresses = listAddresses(world);
    browser = await launchBrowser();
    axe = await readFile(axePath, "utf8");
    if (pictureDir !== undefined) await mkdir(pictureDir, { recursive: true });
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  for (const name of PAGES)
    for (const [screen, [width, height]] of Object.entries(SCREENS))
      it(`${name} is whole on a ${screen} screen, dark and light`, async () => {
        for (const colorScheme of SCHEMES) {
          const { ready } = addresses[name];
          const live = name === "watch" ? await world.startLiveRun("shellrunners") : null;
          const path = live === null ? addresses[name].path : toSitePath("watch", { id: live.sessionId });
          const origins = [world.url, new URL(world.stack.chain.rpcUrl).origin];
          const { page, problems } = await openPage(browser, world.url + path, origins, {
            viewport: { width, height },
            colorScheme,
          });
          try {
            await page.locator(ready).first().waitFor();
            await page.evaluate(() => document.fonts.ready);
            if (pictureDir !== undefined) {
              await page.screenshot({ path: join(pictureDir, `${name}-${screen}-${colorScheme}.png`) });
              await page.screenshot({
                path: join(pictureDir, `${name}-${screen}-${colorScheme}-full.png`),
                fullPage: true,
              });
            }
            expect(await listClipped(page), colorScheme).to.deep.equal([]);
            if (screen !== "lying") expect(await listAxeFindings(page, axe), colorScheme).to.deep.equal([]);
            expect(problems, colorScheme).to.deep.equal([]);
          } finally {
            await live?.stop();
            await page.context().close();
          }
        }
      });

  it("are reached from each other without a new load, with the focus on the page", async () => {
    const { page, problems } = await openPage(browser, world.url, [world.url]);
    await page.evaluate(() => Object.assign(window, { isSameDocument: true }));
    await page.getByRole("link", { name: "Leaderboard", exact: true }).click();
    await page.locator(".table tbody tr").first().waitFor();
    expect(new URL(page.url()).pathname).to.equal("/leaderboard");
    await waitUntil(() => page.evaluate(() => document.activeElement?.id === "main"));
    await page.goBack();
    await page.locator(".stage").waitFor();
    expect(await page.evaluate(() => "isSameDocument" in window)).to.equal(true);
    expect(problems).to.deep.equal([]);
    await page.context().close();
  });
});
