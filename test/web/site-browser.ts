/** The built site in Chromium on the whole service: real chain, store and sockets. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { examineDeployment } from "../../scripts/doctor/examine-deployment.ts";
import { createFastClock } from "../../testing/clock.ts";
import { EASY_GAMES } from "../helpers/easy-games.ts";
import { buildTestSite } from "../helpers/site.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { launchBrowser, openPage } from "./support/browser.ts";
import { ADMIN_TOKEN, type LiveRun, startLiveRun } from "./support/site-world.ts";

/** Games run faster than real time, with the same rules. */
const SPEED = 3;

export { ADMIN_TOKEN };

export interface SiteBrowser {
  readonly stack: TestStack;
  readonly errors: string[];
  /** The requests of the test's pages to the service, in order, as `METHOD /path`. */
  readonly requests: string[];
  /** An agent that plays until it is stopped, at the latest after the test. */
  startAgent(slug: string, name?: string): Promise<LiveRun>;
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Writes a picture of the whole page if `ARCADE_SCREENSHOTS` is a folder. */
  shoot(page: Page, name: string): Promise<void>;
}

async function startSiteBrowser(env: { readonly [name: string]: string }, speed: number) {
  const site = await buildTestSite();
  const stack = await startTestStack({
    env: { ARCADE_ADMIN_TOKEN: ADMIN_TOKEN, ...env },
    clock: createFastClock(speed),
    webDir: site.webDir,
    doctor: examineDeployment,
    gameList: EASY_GAMES,
  });
  const browser = await launchBrowser();
  return {
    stack,
    browser,
    async close() {
      await browser.close();
      await stack.close();
      await site.remove();
    },
  };
}

/**
 * One service and one browser for the tests of a suite. The members of the result exist while its hooks and tests run.
 * After each test, pages are closed, agents stopped, and errors and requests cleared.
 */
export function useSiteBrowser(env: { readonly [name: string]: string } = {}, speed = SPEED): SiteBrowser {
  let started: Awaited<ReturnType<typeof startSiteBrowser>>;
  const errors: string[] = [];
  const requests: string[] = [];
  const pages: Page[] = [];
  const agents: LiveRun[] = [];
  before(async () => {
    started = await startSiteBrowser(env, speed);
  });
  after(() => started?.close());
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close();
    await Promise.all(agents.splice(0).map((agent) => agent.stop()));
    errors.length = 0;
    requests.length = 0;
  });
  return {
    errors,
    requests,
    async startAgent(slug, name = "Tester") {
      const agent = await startLiveRun(started.stack, slug, name);
      agents.push(agent);
      return agent;
    },
    get stack() {
      return started.stack;
    },
    async open(path, options = {}) {
      const { browser, stack } = started;
      const origins = [stack.httpUrl, new URL(stack.chain.rpcUrl).origin];
      const { page } = await openPage(browser, stack.httpUrl + path, origins, options, errors);
      pages.push(page);
      page.context().on("request", (request) => {
        const { origin, pathname } = new URL(request.url());
        if (origin === stack.httpUrl) requests.push(`${request.method()} ${pathname}`);
      });
      return page;
    },
    async shoot(page, name) {
      const folder = process.env.ARCADE_SCREENSHOTS;
      if (folder === undefined) return;
      await mkdir(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    },
  };
}
