/**
 * The built site in Chromium (`ARCADE_CHROMIUM`, /usr/bin/chromium by default) on the whole service: real chain, store
 * and sockets. Errors of the pages and requests to other hosts are collected.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type GameList, gameList } from "../../backend/games/index.ts";
import { examineDeployment } from "../../scripts/doctor/examine-deployment.ts";
import { createFastClock } from "../helpers/fast-clock.ts";
import { buildTestSite } from "../helpers/site.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { ADMIN_TOKEN } from "./support/site-world.ts";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"].concat(
  ["background-networking", "component-update", "sync"].map((name) => `--disable-${name}`),
);
/** Games pass faster than on the wall clock; the rules are the same. */
const SPEED = 3;
/** Any score reaches the first tier: on a busy machine the page's agent may play badly, and its score is not the subject. */
const EASY_GAMES: GameList = {
  ...gameList,
  games: gameList.games.map((game) => {
    const [first, ...others] = game.nft.tiers;
    return { ...game, nft: { ...game.nft, tiers: [{ ...first!, minScore: 1 }, ...others] } };
  }),
};

export { ADMIN_TOKEN };

export interface SiteBrowser {
  readonly stack: TestStack;
  /** What the pages' consoles and the watch over their requests have found. */
  readonly errors: string[];
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Writes a picture of the whole page where `ARCADE_SCREENSHOTS` names a folder. */
  shoot(page: Page, name: string): Promise<void>;
  closePages(): Promise<void>;
  close(): Promise<void>;
}

export async function startSiteBrowser(env: { readonly [name: string]: string } = {}): Promise<SiteBrowser> {
  const site = await buildTestSite();
  const stack = await startTestStack({
    env: { ARCADE_ADMIN_TOKEN: ADMIN_TOKEN, ...env },
    clock: createFastClock(SPEED),
    webDir: site.webDir,
    doctor: examineDeployment,
    gameList: EASY_GAMES,
  });
  const executablePath = process.env.ARCADE_CHROMIUM ?? "/usr/bin/chromium";
  const browser: Browser = await chromium.launch({ executablePath, args: FLAGS });
  const errors: string[] = [];
  const pages: Page[] = [];
  const allowed = [stack.httpUrl, stack.chain.rpcUrl, stack.httpUrl.replace("http", "ws")];

  const watch = (page: Page): void => {
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      // The browser logs each rejected request; the tests check how the page reacts to it.
      const isOwn = message.type() === "error" && !message.text().startsWith("Failed to load resource");
      if (isOwn) errors.push(message.text());
    });
    page.on("request", (request) => {
      const isAllowed = allowed.some((url) => request.url().startsWith(url)) || request.url().startsWith("data:");
      if (!isAllowed) errors.push(`asked ${request.url()}`);
    });
  };

  return {
    ...{ stack, errors },
    async open(path, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      pages.push(page);
      watch(page);
      await page.goto(stack.httpUrl + path);
      return page;
    },
    async shoot(page, name) {
      const folder = process.env.ARCADE_SCREENSHOTS;
      if (folder === undefined) return;
      await mkdir(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    },
    async closePages() {
      for (const page of pages.splice(0)) await page.context().close();
    },
    async close() {
      await browser.close();
      await stack.close();
      await site.remove();
    },
  };
}
