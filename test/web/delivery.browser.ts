/** How pages arrive: without scripts, with a lost script, after a new build, and at the former scroll position. */
import { expect } from "chai";
import { GAME_LABELS } from "../../web/labels/games.ts";
import { SHARED_LABELS } from "../../web/labels/shared.ts";
import { holdMainScript, waitUntil } from "./support/browser.ts";
import { useSiteWorld } from "./support/use-site-world.ts";

const MORE_PAGES = "**/assets/more-pages-*.js";
/** Web Vitals call a layout shift of up to 0.1 good. */
const SHIFT_MAX = 0.05;

describe("the delivery of pages", () => {
  const site = useSiteWorld({ asksChain: true });

  // Firefox would not request it again without a reload.
  for (const [losses, reloads] of [
    [1, 0],
    [3, 1],
  ] as const)
    it(`shows a page whose script was lost ${losses} times after ${reloads} reloads`, async () => {
      const { page } = await site.open("/leaderboard");
      let requests = 0;
      await page.route(MORE_PAGES, (route) => {
        requests += 1;
        return requests > losses ? route.continue() : route.abort();
      });
      let loads = 0;
      page.on("request", (request) => {
        loads += request.isNavigationRequest() ? 1 : 0;
      });
      await page.getByRole("link", { name: "Docs", exact: true }).click();
      await page.getByRole("heading", { name: "Documents" }).waitFor();
      expect([requests, loads]).to.deep.equal([losses + 1, reloads]);
    });

  it("reports that a page could not be loaded, links elsewhere, and loads it when the network is back", async () => {
    const { page } = await site.open("/leaderboard");
    await page.route(MORE_PAGES, (route) => route.abort());
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.getByText("This page could not be loaded").waitFor();
    expect(new URL(page.url()).pathname).to.equal("/account");
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await page.getByRole("link", { name: "Docs", exact: true }).click();
    await page.getByText("This page could not be loaded").waitFor();
    await page.unroute(MORE_PAGES);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Documents" }).waitFor();
  });

  it("reloads the whole page once if the server has another build", async () => {
    const { page } = await site.open("/leaderboard");
    await page.route(MORE_PAGES, (route) => route.fulfill({ status: 404 }));
    // The server's next page has another entry script.
    await page.route("**/docs", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(/main-\w+\.js/g, "main-NEWBUILD.js") });
    });
    const loads: string[] = [];
    page.on("load", () => loads.push(page.url()));
    await page.getByRole("link", { name: "Docs", exact: true }).click();
    await waitUntil(() => loads.length === 1);
    expect(loads).to.deep.equal([`${site.world.url}/docs`]);
  });

  it("returns to the reader's position, and sets each page's title", async () => {
    const { page } = await site.open("/", { viewport: { width: 390, height: 700 } });
    await page.evaluate(() => scrollTo(0, 600));
    await page.evaluate(() => document.querySelector<HTMLAnchorElement>('nav a[href="/runs"]')!.click());
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    expect(await page.evaluate(() => scrollY)).to.equal(0);
    expect(await page.title()).to.equal("Runs · Agent Arcade");
    await page.goBack();
    await waitUntil(() => page.evaluate(() => scrollY === 600));
    expect(await page.title()).to.equal("Agent Arcade");
  });

  it("repeats the click on a button once that came before the page's script", async () => {
    const { page, problems } = await site.open("/docs/errors");
    const arrive = await holdMainScript(page);
    await page.goto(`${site.world.url}/games/flappybots`, { waitUntil: "commit" });
    await page.getByRole("button", { name: GAME_LABELS.frameHold, exact: true }).click();
    await page.getByRole("heading", { name: "Flappybots" }).click();
    arrive();
    await page.getByRole("button", { name: GAME_LABELS.frameRun }).waitFor();
    await page.getByRole("button", { name: GAME_LABELS.frameRun }).click();
    await page.getByRole("button", { name: GAME_LABELS.frameHold, exact: true }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("follows links, starts runs and copies by hand on a page without a secure context", async () => {
    const { page, problems } = await site.open("/leaderboard");
    // As over HTTP from another machine.
    await page.addInitScript(() => {
      Reflect.deleteProperty(Crypto.prototype, "randomUUID");
      for (const name of ["clipboard", "locks"]) Reflect.deleteProperty(Navigator.prototype, name);
    });
    await page.reload();
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await page.goto(`${site.world.url}/practice/flappybots`);
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    await page.goto(`${site.world.url}/runs/${site.world.onChainRun.sessionId}`);
    await page.getByText("Facts to copy").click();
    const copy = page.getByRole("button", { name: /^Copy: / }).first();
    await copy.click();
    expect(await copy.textContent()).to.equal(SHARED_LABELS.copyByHand);
    expect(problems).to.deep.equal([]);
  });

  it("can be read and searched without scripts, and printed without controls", async () => {
    const { page } = await site.open("/", { javaScriptEnabled: false });
    expect(await page.locator("noscript p").innerText()).to.contain("need JavaScript");
    expect(await page.locator("h1").innerText()).to.contain("Real-time games");
    const poster = page.locator(".stage .poster");
    expect(await poster.evaluate((image: HTMLImageElement) => image.naturalWidth)).to.be.above(0);
    await page.locator(".stage .button:not(.button-quiet)").click();
    expect(await page.locator(".run-result").innerText()).to.contain(`${site.world.onChainRun.score} points`);
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await page.getByLabel("Name, number, address or id").fill("plov");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("tbody .player", { hasText: "Plover" }).waitFor();
    await page.getByLabel("Name, number, address or id").fill(site.world.otherRun.sessionId);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: `Plover: ${site.world.otherRun.score} points in Shellrunners` }).click();
    await page.locator(".run-result").waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".site-header nav").isVisible()).to.equal(false);
    expect(await page.locator(".run-result").isVisible()).to.equal(true);
    await page.goto(`${site.world.url}/leaderboard?game=flappybots`);
    expect(await page.locator(".tabs a:visible").first().innerText()).to.equal("Flappybots");
    await page.goto(`${site.world.url}/docs/guides/agents`);
    const cut = await page
      .locator("pre")
      .evaluateAll((all) => all.filter((box) => box.scrollHeight > box.clientHeight));
    expect(cut).to.have.length(0);
  });

  for (const width of [390, 1280])
    it(`shifts no layout after the first paint, ${width} wide`, async () => {
      const run = `/runs/${site.world.onChainRun.sessionId}`;
      for (const path of [
        "/",
        "/runs",
        "/leaderboard",
        run,
        `/agents/${site.world.agent.agentId}`,
        "/league/flappybots",
        "/league/flappybots/1",
        "/stats",
        "/docs",
      ]) {
        const { page } = await site.open("/docs/errors", { viewport: { width, height: 844 } });
        await page.addInitScript(() => {
          const noted = Object.assign(globalThis, { shift: 0 });
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
              noted.shift += (entry as PerformanceEntry & { readonly value: number }).value;
          }).observe({ type: "layout-shift", buffered: true });
        });
        await page.goto(site.world.url + path, { waitUntil: "networkidle" });
        const shift = await page.evaluate(() => (globalThis as unknown as { shift: number }).shift);
        expect(shift, path).to.be.below(SHIFT_MAX);
      }
    });
});
