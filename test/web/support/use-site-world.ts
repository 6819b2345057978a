import type { Browser, BrowserContextOptions } from "playwright-core";
import { launchBrowser, openPage, type WatchedPage } from "./browser.ts";
import { openSiteWorld, type SiteWorld } from "./site-world.ts";

export interface SitePages {
  readonly world: SiteWorld;
  /** Opens a page of the site; it is closed after the test. */
  open(path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
}

/**
 * One world and one browser for the tests of a suite. The members of the result exist while its hooks and tests run.
 * `asksChain`: the pages may contact the chain's node as well as the service.
 */
export function useSiteWorld({ asksChain = false } = {}): SitePages {
  let world: SiteWorld;
  let browser: Browser;
  const opened: WatchedPage[] = [];
  before(async () => {
    world = await openSiteWorld();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });
  afterEach(async () => {
    for (const { page } of opened.splice(0)) await page.context().close();
  });
  return {
    get world() {
      return world;
    },
    async open(path, options = {}) {
      const origins = asksChain ? [world.url, new URL(world.stack.chain.rpcUrl).origin] : [world.url];
      const watched = await openPage(browser, world.url + path, origins, options);
      opened.push(watched);
      return watched;
    },
  };
}
