/** The site under layout stress: the widest names, other writing systems, no runs, and a failing service. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { openEngine } from "../../backend/adapters/policies/engine-file.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createAgent } from "../../testing/player.ts";
import { SHARED_LABELS } from "../../web/labels/shared.ts";
import { playRound } from "../adapters/policies/league-round.ts";
import { addPlayedRound } from "../helpers/played-round.ts";
import { useSiteBrowser } from "./site-browser.ts";

const WIDTHS = [390, 1280, 1920];
const NAMES = [
  "W".repeat(32),
  "الخطاف السريع فوق الشاطئ الطويل",
  "🦀".repeat(16),
  "i",
  "漢".repeat(32),
  "🇧🇷👍🏽".repeat(8),
];
/** More points than any run reaches. */
const MANY_POINTS = 1_000_000;
const AGENTS = 100;
const PAGES = [
  "/",
  "/runs",
  "/runs?game=flappybots",
  "/leaderboard",
  "/search?q=W",
  "/games/shellrunners",
  "/league/flappybots",
  "/league/flappybots/write",
  "/market",
  "/vote",
  "/stats",
];

interface Watched {
  readonly widePictures: number[];
}

/** The widths of pictures of the page, from the first one on, that are wider than the screen. Runs in the page. */
const listWidePictures = (): string[] =>
  (globalThis as unknown as Watched).widePictures.map((width) => `a picture while it loads is ${width} wide`);

/** Looks at each picture that the browser draws. Runs in each page before its scripts. */
function watchPictures(): void {
  const widePictures: number[] = [];
  Object.assign(globalThis, { widePictures } satisfies Watched);
  const look = (): void => {
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth && !widePictures.includes(scrollWidth)) widePictures.push(scrollWidth);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Describes texts that overlap, and parts that are wider than the screen. */
function findLayoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) faults.push(`the page is ${scrollWidth} wide on a screen of ${innerWidth}`);
    const boxes: { readonly node: Node; readonly text: string; readonly box: DOMRect }[] = [];
    const walker = document.createTreeWalker(document.querySelector("#app")!, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement!;
      const text = node.textContent!.trim();
      // Text over a game's picture is intended.
      if (text === "" || parent.closest(".screen, .visually-hidden, .skip, noscript") !== null) continue;
      if (!parent.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        let { left, right, top, bottom } = rect;
        for (let box: Element | null = parent; box !== null; box = box.parentElement) {
          if (getComputedStyle(box).overflowX === "visible") continue;
          const clip = box.getBoundingClientRect();
          left = Math.max(left, clip.left);
          right = Math.min(right, clip.right);
          top = Math.max(top, clip.top);
          bottom = Math.min(bottom, clip.bottom);
        }
        if (right - left > 1 && bottom - top > 1)
          boxes.push({ node, text, box: new DOMRect(left, top, right - left, bottom - top) });
      }
    }
    for (const [index, one] of boxes.entries())
      for (const other of boxes.slice(index + 1)) {
        const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        // Lines of one text may touch.
        if (one.node !== other.node && width > 3 && height > 6)
          faults.push(`"${one.text.slice(0, 40)}" and "${other.text.slice(0, 40)}" overlap`);
      }
    return faults;
  });
}

describe("the worst case", () => {
  const site = useSiteBrowser();

  async function checkPages(
    paths: readonly string[],
    prepare: (page: Page) => Promise<unknown> = async () => undefined,
  ) {
    const page = await site.open("/docs/errors");
    await page.addInitScript(watchPictures);
    await prepare(page);
    for (const path of paths)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(site.stack.httpUrl + path);
        await page.locator("main h1").first().waitFor();
        const faults = [...(await page.evaluate(listWidePictures)), ...(await findLayoutFaults(page))];
        expect(faults, `${path} at ${width}`).to.deep.equal([]);
      }
  }

  it("has no runs", () => checkPages(PAGES));

  it("has 100 agents, the widest names, other writing systems and a million points", async () => {
    const paths: string[] = [];
    for (let number = 1; number <= AGENTS; number += 1) {
      const wallet = `0x${number.toString(16).padStart(40, "0")}` as const;
      const agentName = NAMES[number % NAMES.length]!;
      const run = await addEndedSession(site.stack, { wallet, agentName, claimedScore: MANY_POINTS - number });
      await withStore(site.stack, (store) => store.sessions.setVerification(run.sessionId, "verified"));
    }
    for (const [index, agentName] of NAMES.entries()) {
      const { address } = await createAgent(site.stack, `Agent ${index}`);
      for (const slug of ["shellrunners", "flappybots"]) {
        const own = { wallet: address, slug, minScore: 5, agentName };
        const run = await addEndedSession(site.stack, { ...own, claimedScore: MANY_POINTS });
        await withStore(site.stack, async (store) => {
          await store.sessions.setVerification(run.sessionId, "verified");
        });
        if (index === 0) paths.push(`/runs/${run.sessionId}`);
      }
    }
    const round = await playRound(openEngine(), 40, 2, 40);
    for (const policy of round.policies) policy.agentId = MANY_POINTS.toString().repeat(3);
    await addPlayedRound(site.stack, round);
    await site.startAgent("shellrunners", NAMES[0]);
    await site.startAgent("flappybots", NAMES[1]);
    await checkPages(
      [
        ...PAGES,
        ...paths,
        "/agents/1",
        "/search?q=%F0%9F%A6%80",
        "/embed/live",
        "/leaderboard?hideZero=false&page=4",
        "/league/flappybots?page=2",
        "/league/flappybots/1",
      ],
      async (page) => {
        await page.goto(`${site.stack.httpUrl}/leaderboard`);
        await page.getByRole("link", { name: "999,999" }).waitFor();
        expect(await page.locator("tbody tr").count()).to.equal(25);
      },
    );
  });

  it("has a server that freezes, which the page shows", async () => {
    const { sessionId } = await site.startAgent("shellrunners");
    const page = await site.open("/docs/errors");
    let isFrozen = false;
    await page.routeWebSocket(/\/ws\//, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        if (!isFrozen) socket.send(message);
      });
    });
    await page.goto(`${site.stack.httpUrl}/watch/${sessionId}`);
    await page.locator('[data-phase="running"]').waitFor();
    expect(await page.getByText("No picture arrives").count()).to.equal(0);
    isFrozen = true;
    await page.getByText("No picture arrives").waitFor();
    isFrozen = false;
    await page.getByText("No picture arrives").waitFor({ state: "detached" });
  });

  it("gets the error page of a proxy for every call, and no answer at all", async () => {
    const answer = { status: 503, contentType: "text/html", body: "<h1>503 Service Unavailable</h1>" };
    await checkPages(["/", "/runs", "/stats"], (page) => page.route("**/api/**", (route) => route.fulfill(answer)));
    await checkPages(["/", "/runs", "/stats"], (page) => page.route("**/api/**", (route) => route.abort()));
  });

  it("gets no answer after the page has loaded, and explains it to a viewer on a phone", async () => {
    const page = await site.open("/docs/errors");
    await page.setViewportSize({ width: WIDTHS[0]!, height: 900 });
    await page.route("**/api/**", (route) => route.abort());
    await page.goto(`${site.stack.httpUrl}/runs?game=flappybots`);
    const alert = page.getByRole("alert").first();
    await alert.waitFor();
    expect(await alert.locator("p").innerText()).to.equal(SHARED_LABELS.unreachable);
    expect(await findLayoutFaults(page)).to.deep.equal([]);
  });
});
