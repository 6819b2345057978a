/** The page of an ended run: the replay, and what the browser finds out about it by itself. */
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { toSitePath } from "../../backend/domain/site.ts";
import type { Replay } from "../../client/api.ts";
import { launchBrowser, openPage, waitUntil } from "./support/browser.ts";
import { openSiteWorld, type SiteWorld } from "./support/site-world.ts";

describe("the page of a run", function () {
  this.timeout(120_000);
  let world: SiteWorld;
  let browser: Browser;
  const pages: Page[] = [];
  before(async () => {
    world = await openSiteWorld();
    browser = await launchBrowser();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close();
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  const origins = (): string[] => [world.url, new URL(world.stack.chain.rpcUrl).origin];
  async function open(path: string) {
    const opened = await openPage(browser, world.url + path, origins());
    pages.push(opened.page);
    return opened;
  }
  /** The run's page with a replay that somebody has changed on its way. */
  async function openChanged(change: (replay: Replay) => object): Promise<Page> {
    const { page } = await open("/leaderboard");
    await page.route("**/replay", async (route) => {
      const replay = (await (await route.fetch()).json()) as Replay;
      await route.fulfill({ json: change(replay) });
    });
    await page.goto(world.url + toSitePath("run", { id: world.onChainRun.sessionId }));
    return page;
  }
  const readTick = async (page: Page): Promise<number> =>
    Number(await page.locator("[data-tick]").first().getAttribute("data-tick"));
  const toCheck = (page: Page, name: string) => page.locator(".check", { hasText: name });

  it("opens at the moment of a shared link, and steps through it by the keyboard", async () => {
    const { page, problems } = await open(`${toSitePath("run", { id: world.onChainRun.sessionId })}?t=200`);
    await page.locator(".transport").waitFor();
    expect(await readTick(page)).to.equal(200);
    await page.keyboard.press(".");
    await waitUntil(async () => (await readTick(page)) === 201);
    await page.keyboard.press(",");
    await page.keyboard.press(",");
    await waitUntil(async () => (await readTick(page)) === 199);
    await page.getByRole("slider").focus();
    await page.keyboard.press("End");
    const { onChainRun } = world;
    await waitUntil(
      async () => (await page.locator(".hud-score .visually-hidden").textContent()) === String(onChainRun.score),
    );
    await page.keyboard.press("Home");
    await waitUntil(async () => (await readTick(page)) === 0);
    await page.getByRole("button", { name: "8×" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await waitUntil(async () => (await readTick(page)) > 40);
    expect(problems).to.deep.equal([]);
  });

  it("finds the score again, and on chain, by asking the chain itself", async () => {
    const { page, problems } = await open(toSitePath("run", { id: world.onChainRun.sessionId }));
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    const { score } = world.onChainRun;
    await toCheck(page, "Reproduced here").getByText(`${score} points, as recorded`).waitFor();
    await toCheck(page, "Stands on chain").getByText(`The chain holds ${score} points for exactly this run`).waitFor();
    expect(asked.some((url) => url.startsWith(world.stack.chain.rpcUrl))).to.equal(true);
    expect(problems).to.deep.equal([]);
  });

  it("turns red for a replay with one changed bit", async () => {
    const page = await openChanged((replay) => {
      const [first, ...rest] = replay.inputs;
      // The lowest bit of the tick of the first input.
      return { ...replay, inputs: [[first![0] ^ 1, first![1]], ...rest] };
    });
    await page.locator('[data-verdict="failed"]', { hasText: "Stands on chain" }).waitFor();
    await page.locator('[data-verdict="failed"]', { hasText: "Reproduced here" }).waitFor();
    expect(await page.locator('[data-verdict="ok"]').count()).to.equal(0);
  });

  it("turns red for the same run of another wallet", async () => {
    const wallet = world.stack.accounts[3]!.address;
    const page = await openChanged((replay) => ({ ...replay, wallet }));
    await page.locator('[data-verdict="failed"]', { hasText: "Stands on chain" }).waitFor();
    await page.locator('[data-verdict="failed"]', { hasText: "Reproduced here" }).waitFor();
  });

  it("says of a score that is not on chain that it is not there yet", async () => {
    const { page } = await open(toSitePath("run", { id: world.otherRun.sessionId }));
    await page.locator('[data-verdict="open"]', { hasText: "The score is not on chain yet" }).waitFor();
  });

  it("shows two runs side by side", async () => {
    const path = toSitePath("run", { id: world.otherRun.sessionId });
    const { page, problems } = await open(`${path}?with=${world.onChainRun.sessionId}&t=100`);
    await page.locator(".run-picture canvas").nth(1).waitFor();
    expect(await page.locator("[data-tick]").allTextContents()).to.deep.equal(["100", "100"]);
    expect(problems).to.deep.equal([]);
  });

  it("keeps names inert that look like markup", async () => {
    const { page, problems } = await open(toSitePath("run", { id: world.onChainRun.sessionId }));
    await page.locator(".player b").first().waitFor();
    expect(await page.locator(".player b").first().textContent()).to.equal(world.agent.name);
    expect(await page.locator("main img[src=x]").count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("is not there for an unknown run, and says so for one that is still played", async () => {
    const { page } = await open("/runs/0190f1d5-7c4e-7abc-8def-0123456789ab");
    await page.getByText("This address leads to no game").waitFor();
    const live = await world.startLiveRun("flappybots", "Wader");
    await page.goto(world.url + toSitePath("run", { id: live.sessionId }));
    await page.getByText("This run is still being played").waitFor();
    await page.getByRole("link", { name: "Watch it live" }).click();
    await page.locator('[data-phase="running"]').waitFor();
  });
});
