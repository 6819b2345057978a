/** The built site before a service without a chain, whose sockets can be cut and whose seats can be filled. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { findGame } from "../../../games/index.ts";
import { buildTestSite } from "../../helpers/site.ts";
import { type ArcadeServer, startArcade } from "../arcade-server.ts";
import { launchBrowser, openPage } from "./browser.ts";

export const createReferenceBot = (slug: string) => findGame(slug)!.bots.reference();

export interface ArcadePages {
  readonly arcade: ArcadeServer;
  /** What went wrong in any page of the test. */
  readonly errors: string[];
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Starts a service for each test of a suite, and one browser for all of them. */
export function useArcadePages(): () => ArcadePages {
  let site: Awaited<ReturnType<typeof buildTestSite>>;
  let browser: Browser;
  let current: ArcadePages;
  const pages: Page[] = [];

  before(async () => {
    site = await buildTestSite();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await site?.remove();
  });
  beforeEach(async () => {
    const arcade = await startArcade({ webDir: site.webDir, spectatorsMax: 5 });
    const errors: string[] = [];
    current = {
      arcade,
      errors,
      async open(path, options = {}) {
        const { page } = await openPage(browser, arcade.url + path, [arcade.url], options, errors);
        pages.push(page);
        return page;
      },
    };
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close();
    await current.arcade.stop();
  });
  return () => current;
}

/** A number that changes whenever the picture does. */
export const getPictureHash = (page: Page, canvasIndex = 0): Promise<number> =>
  page
    .locator("canvas")
    .nth(canvasIndex)
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      let sum = 0;
      for (let i = 0; i < data.length; i += 97) sum = (Math.imul(sum, 31) + data[i]!) | 0;
      return sum;
    });

export const readScore = async (page: Page): Promise<number> =>
  Number(await page.locator(".hud-score .digits .visually-hidden").textContent());
