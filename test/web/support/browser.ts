/** Debian's Chromium, and pages that record everything that a user should never see. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"].concat(
  ["background-networking", "component-update", "sync"].map((name) => `--disable-${name}`),
);

/** How long a step may take on a slow machine; shorter than the limit of a test, so that the error names the step. */
const STEP_MAX_MS = 200_000;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.ARCADE_CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
    timeout: STEP_MAX_MS,
  });

export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, of the console, and requests to other hosts, in words. */
  readonly problems: string[];
}

/** `origins`: the only ones that the page may contact. `problems`: collects the problems. */
export async function openPage(
  browser: Browser,
  url: string,
  origins: readonly string[],
  options: BrowserContextOptions = {},
  problems: string[] = [],
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(STEP_MAX_MS);
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // The browser logs each error response. The tests check how the page handles it.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  page.on("request", (request) => {
    if (request.url().startsWith("http") && !origins.includes(new URL(request.url()).origin))
      problems.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

/** Resolves when the condition is true; throws after `STEP_MAX_MS`. */
export async function waitUntil(condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadlineMs = performance.now() + STEP_MAX_MS;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`this never became true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
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

/** The main script of the next pages arrives when the returned function is called. */
export async function holdMainScript(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/assets/main-*.js", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}
