/**
 * The built site in a real browser, against the real routes, sessions and sockets. Needs a Chromium
 * (`ARCADE_CHROMIUM`, /usr/bin/chromium by default).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { findGame } from "../../backend/games/index.ts";
import { bundleSite } from "../../web/bundle.ts";
import { type ArcadeServer, startArcade } from "./arcade-server.ts";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"].concat(
  ["background-networking", "component-update", "sync"].map((name) => `--disable-${name}`),
);
const createReferenceBot = (slug: string) => findGame(slug)!.bots.reference();

describe("the viewer in a browser", function () {
  this.timeout(60_000);
  let webDir: string;
  let browser: Browser;
  let arcade: ArcadeServer;
  let errors: string[];
  const pages: Page[] = [];

  before(async () => {
    webDir = await mkdtemp(join(tmpdir(), "arcade-web-"));
    await bundleSite(webDir);
    browser = await chromium.launch({
      executablePath: process.env.ARCADE_CHROMIUM ?? "/usr/bin/chromium",
      args: FLAGS,
    });
  });
  after(async () => {
    await browser?.close();
    await rm(webDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    errors = [];
    arcade = await startArcade({ webDir, spectatorsMax: 5 });
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close();
    await arcade.stop();
  });

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    pages.push(page);
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      // The browser logs each rejected request; the tests check how the page reacts to it.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        errors.push(message.text());
      }
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(arcade.url)) errors.push(`asked ${request.url()}`);
    });
    await page.goto(arcade.url + path);
    return page;
  }

  /** A number that changes whenever the picture does. */
  const getPictureHash = (page: Page, canvasIndex = 0): Promise<number> =>
    page
      .locator("canvas")
      .nth(canvasIndex)
      .evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
        let sum = 0;
        for (let i = 0; i < data.length; i += 97) sum = (Math.imul(sum, 31) + data[i]!) | 0;
        return sum;
      });

  async function waitUntil(condition: () => Promise<boolean> | boolean): Promise<void> {
    const deadlineMs = performance.now() + 20_000;
    while (!(await condition())) {
      if (performance.now() > deadlineMs) throw new Error(`this never became true: ${condition}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const readScore = async (page: Page): Promise<number> =>
    Number(await page.locator(".hud-score .digits .visually-hidden").textContent());

  it("shows both games at play and who plays now", async () => {
    const page = await open("/");
    await page.getByText("No session is running right now").waitFor();
    for (const canvasIndex of [0, 1]) {
      const before = await getPictureHash(page, canvasIndex);
      await waitUntil(async () => (await getPictureHash(page, canvasIndex)) !== before);
    }
    const row = await arcade.startAgent({
      slug: "flappybots",
      agentName: "<img src=x>",
      bot: createReferenceBot("flappybots"),
    });
    const live = page.locator(".live-row");
    await live.waitFor();
    expect(await live.getAttribute("href")).to.equal(`/watch/${row.sessionId}`);
    expect(await live.locator("b").textContent()).to.equal("<img src=x>");
    expect(await page.locator(".live img").count()).to.equal(0);
    expect(await page.locator("code").first().textContent()).to.equal("npm run agent -- --game flappybots");
    expect(errors).to.deep.equal([]);
  });

  it("pauses the demos for users who prefer reduced motion, and runs them on demand", async () => {
    const page = await open("/", { reducedMotion: "reduce" });
    const button = page.getByRole("button", { name: "Run the Flappybots demo" });
    await button.waitFor();
    const before = await getPictureHash(page, 1);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await getPictureHash(page, 1)).to.equal(before);
    await button.press("Enter");
    await waitUntil(async () => (await getPictureHash(page, 1)) !== before);
    expect(errors).to.deep.equal([]);
  });

  it("watches a session to its end card", async () => {
    const row = await arcade.startAgent({
      slug: "flappybots",
      agentName: "Kestrel",
      bot: createReferenceBot("flappybots"),
    });
    const page = await open(`/watch/${row.sessionId}`);
    await page.locator('[data-phase="running"]').waitFor();
    expect(await page.locator("h1").textContent()).to.contain("Kestrel");
    expect(await page.locator(".hud-audience").textContent()).to.contain("1/5");
    await waitUntil(async () => (await readScore(page)) > 0);
    expect(await page.locator(".event-log li").count()).to.be.above(0);
    const before = await getPictureHash(page);
    await waitUntil(async () => (await getPictureHash(page)) !== before);
    expect(arcade.requests).to.include(`POST /api/games/flappybots/sessions/${row.sessionId}/spectate-token-public`);

    await arcade.endSession(row.sessionId);
    const card = page.getByLabel("The run is over");
    await card.waitFor();
    expect(await card.textContent()).to.contain("The player ended the session.");
    expect(await card.locator("[data-snapshot]").getAttribute("data-snapshot")).to.equal("required");
    const href = await card.getByRole("link", { name: "Download as JSON" }).getAttribute("href");
    const replay = (await (await fetch(arcade.url + href)).json()) as { sessionId: string; finalScore: number };
    expect(replay.sessionId).to.equal(row.sessionId);
    expect(await card.locator(".end-score .visually-hidden").textContent()).to.equal(String(replay.finalScore));
    expect(errors).to.deep.equal([]);
  });

  it("replays an ended session and derives its score in the browser", async () => {
    const bot = findGame("flappybots")!.bots.quick!(2500);
    const row = await arcade.startAgent({ slug: "flappybots", agentName: "Quickling", bot });
    await waitUntil(() => arcade.isOver(row.sessionId));
    const page = await open(`/watch/${row.sessionId}`);
    const card = page.getByLabel("The run is over");
    await card.getByRole("button", { name: "Derive the score yourself" }).click();
    const score = await card.locator(".end-score .visually-hidden").textContent();
    await card.getByText(`Played again here: ${score}, as recorded`).waitFor();
    await card.getByRole("button", { name: "Watch again" }).click();
    await page.getByRole("button", { name: "4×" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    await card.waitFor();
    expect(await readScore(page)).to.equal(Number(score));
    expect(await page.locator(".event-log").textContent()).to.contain("Lost a life");
    expect(errors).to.deep.equal([]);
  });

  it("names the differences between a record and its replay", async () => {
    const row = await arcade.startAgent({ slug: "flappybots", bot: findGame("flappybots")!.bots.quick!(1000) });
    await waitUntil(() => arcade.isOver(row.sessionId));
    const page = await open("/");
    await page.route("**/replay", async (route) => {
      const replay = (await (await route.fetch()).json()) as { finalScore: number };
      await route.fulfill({ json: { ...replay, finalScore: replay.finalScore + 1 } });
    });
    await page.goto(`${arcade.url}/watch/${row.sessionId}`);
    await page.getByRole("button", { name: "Derive the score yourself" }).click();
    const proof = page.locator(".check-failed");
    await proof.waitFor();
    expect(await proof.textContent()).to.contain("finalScore");
  });

  it("draws more pictures than the server sends frames", async () => {
    const row = await arcade.startAgent({ slug: "shellrunners", bot: createReferenceBot("shellrunners") });
    const page = await open(`/watch/${row.sessionId}`);
    await page.locator('[data-phase="running"]').waitFor();
    // Pictures that differ from the one before, over twenty frames of the server.
    const different = await page.locator("canvas").evaluate(async (canvas: HTMLCanvasElement) => {
      const small = new OffscreenCanvas(60, 90);
      const ctx = small.getContext("2d", { willReadFrequently: true })!;
      let count = 0;
      let last = "";
      const endMs = performance.now() + 1000;
      while (performance.now() < endMs) {
        await new Promise(requestAnimationFrame);
        ctx.drawImage(canvas, 0, 0, 60, 90);
        const now = ctx.getImageData(0, 0, 60, 90).data.join();
        if (now !== last) count += 1;
        last = now;
      }
      return count;
    });
    expect(different).to.be.above(24);
  });

  it("reconnects with a new token when the connection is lost", async () => {
    const row = await arcade.startAgent({ slug: "flappybots", bot: createReferenceBot("flappybots") });
    const page = await open(`/watch/${row.sessionId}`);
    await page.locator('[data-phase="running"]').waitFor();
    const path = `POST /api/games/flappybots/sessions/${row.sessionId}/spectate-token-public`;
    arcade.cutSockets();
    await waitUntil(() => arcade.requests.filter((requestCount) => requestCount === path).length === 2);
    const before = await readScore(page);
    await waitUntil(async () => (await readScore(page)) > before);
    expect(await page.locator(".overlay").count()).to.equal(0);
  });

  it("shows the specified text when every seat is taken, and a retry works", async () => {
    const row = await arcade.startAgent({ slug: "flappybots", bot: createReferenceBot("flappybots") });
    arcade.fillSeats(row.sessionId);
    const page = await open(`/watch/${row.sessionId}`);
    const messageText = page.locator(".card .sentence");
    await messageText.waitFor();
    expect(await messageText.textContent()).to.equal("5/5 spectators limit reached for this livestream");
    const requestCount = arcade.requests.length;
    await page.getByRole("button", { name: "Try again" }).click();
    await waitUntil(() => arcade.requests.length > requestCount);
    await messageText.waitFor();
  });

  it("signs a viewer in by wallet, and asks for a signed-in viewer's seat first", async () => {
    const row = await arcade.startAgent({ slug: "shellrunners", bot: createReferenceBot("shellrunners") });
    const account = privateKeyToAccount(generatePrivateKey());
    const page = await open("/");
    await page.exposeFunction("signAsWallet", (raw: Hex) => account.signMessage({ message: { raw } }));
    await page.evaluate((address) => {
      const { signAsWallet } = window as unknown as { signAsWallet(raw: unknown): Promise<string> };
      const provider = {
        request: async ({ method, params }: { method: string; params?: unknown[] }) =>
          method === "eth_requestAccounts" ? [address] : signAsWallet(params?.[0]),
      };
      const detail = { info: { uuid: "1", name: "<b>Test</b>", icon: "", rdns: "test" }, provider };
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    }, account.address);
    await page.getByRole("button", { name: "Sign in with <b>Test</b>" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    // The access session outlives the page within its tab.
    await page.goto(`${arcade.url}/watch/${row.sessionId}`);
    await page.locator('[data-phase="running"]').waitFor();
    const tokens = () => arcade.requests.filter((requestCount) => requestCount.includes("spectate-token"));
    const path = `POST /api/games/shellrunners/sessions/${row.sessionId}/spectate-token`;
    expect(tokens()).to.deep.equal([path]);
    // Signing out closes the channel of that sign-in; the page goes on watching without one.
    await page.getByRole("button", { name: "Sign out" }).click();
    await waitUntil(() => tokens().length === 2);
    await page.goto(`${arcade.url}/watch/${row.sessionId}`);
    await page.locator('[data-phase="running"]').waitFor();
    expect(tokens()).to.deep.equal([path, `${path}-public`, `${path}-public`]);
    expect(errors).to.deep.equal([]);
  });

  it("watches without a sign-in where the access session is no longer valid", async () => {
    const row = await arcade.startAgent({ slug: "shellrunners", bot: createReferenceBot("shellrunners") });
    const page = await open("/");
    await page.evaluate(() => {
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      const stale = {
        accessToken: `aa_${"x".repeat(43)}`,
        refreshToken: `ar_${"x".repeat(43)}`,
        accessExpiresAt: soon,
      };
      sessionStorage.setItem("agent-arcade.access", JSON.stringify({ ...stale, refreshExpiresAt: soon }));
    });
    await page.goto(`${arcade.url}/watch/${row.sessionId}`);
    await page.locator('[data-phase="running"]').waitFor();
    const path = `POST /api/games/shellrunners/sessions/${row.sessionId}/spectate-token`;
    const tokens = arcade.requests.filter((requestCount) => requestCount.includes("spectate-token"));
    expect(tokens).to.deep.equal([path, `${path}-public`]);
  });

  it("lets a person practice: steer, pause, resume, leave and play again", async () => {
    const page = await open("/practice/shellrunners");
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    const resting = await getPictureHash(page);
    await page.keyboard.down("ArrowLeft");
    await waitUntil(async () => (await getPictureHash(page)) !== resting);
    await page.keyboard.up("ArrowLeft");
    await page.keyboard.press("p");
    await page.locator('[data-phase="paused"]').waitFor();
    expect(await page.locator(".layout-toolbar").textContent()).to.contain("Resume");
    await page.locator(".card").getByRole("button", { name: "Resume" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    expect(await page.locator(".layout-toolbar").textContent()).to.contain("Pause (2 left)");
    await page.getByRole("button", { name: "End run" }).click();
    const card = page.getByLabel("The run is over");
    await card.waitFor();
    expect(await card.textContent()).to.contain("You ended the run.");
    expect(await card.getByRole("link", { name: "Download as JSON" }).count()).to.equal(0);
    await card.getByRole("button", { name: "Play again" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    expect(arcade.requests.filter((requestCount) => requestCount.endsWith("/sessions/start")).length).to.equal(2);
    expect(errors).to.deep.equal([]);
  });

  it("flaps by a finger on a phone, where nothing is wider than the screen", async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
    const page = await open("/practice/flappybots", phone);
    const sent: string[] = [];
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));
    await page.getByRole("button", { name: "Start" }).tap();
    await page.locator('[data-phase="running"]').waitFor();
    await page.locator(".touch-pad").tap();
    await waitUntil(() => sent.includes('{"t":"action","action":"FLAP"}'));
    for (const path of ["/", "/practice/shellrunners", "/nowhere"]) {
      await page.goto(arcade.url + path);
      await page.locator("h1").waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, path).to.be.at.most(0);
    }
    expect(errors).to.deep.equal([]);
  });

  it("reports an unknown session and an unknown address", async () => {
    const page = await open("/watch/0190f1d5-7c4e-7abc-8def-0123456789ab");
    await page.getByText("No such session").waitFor();
    await page.goto(`${arcade.url}/nowhere`);
    await page.getByText("This address leads to no game").waitFor();
  });

  it("can be used with the keyboard only", async () => {
    const page = await open("/");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal("Skip to the page");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal("main");
    await page.goto(`${arcade.url}/practice/flappybots`);
    const start = page.getByRole("button", { name: "Start" });
    await start.waitFor();
    const isFocused = () => start.evaluate((button) => button === document.activeElement);
    for (let tabs = 0; tabs < 12 && !(await isFocused()); tabs += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator('[data-phase="running"]').waitFor();
    await page.keyboard.press("Space");
    await waitUntil(async () => (await page.locator(".event-log li").count()) > 0);
  });
});
