/** The page of an ended run: the replay, and the browser's checks. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Replay } from "../../client/api.ts";
import type { Verdict } from "../../client/verify-replay.ts";
import { computeGameSessionHash, computeReplayDigest } from "../../domain/replay/replay.ts";
import { createTranscript } from "../../domain/replay/transcript.ts";
import { toSitePath } from "../../domain/site.ts";
import { findGame } from "../../games/index.ts";
import { Recording } from "../../web/replay/recording.ts";
import { recordShortReplay } from "../helpers/short-replay.ts";
import { waitUntil } from "./support/browser.ts";
import { useSiteWorld } from "./support/use-site-world.ts";

describe("the page of a run", () => {
  const site = useSiteWorld({ asksChain: true });
  const { open } = site;

  /** The run's page, which receives a changed replay. */
  async function openChanged(change: (replay: Replay) => object | Promise<object>): Promise<Page> {
    const { page } = await open("/leaderboard");
    await page.route("**/replay", async (route) => {
      const replay = (await (await route.fetch()).json()) as Replay;
      await route.fulfill({ json: await change(replay) });
    });
    await page.goto(site.world.url + toSitePath("run", { id: site.world.onChainRun.sessionId }));
    return page;
  }
  const readTick = async (page: Page): Promise<number> =>
    Number(await page.locator("[data-tick]").first().getAttribute("data-tick"));
  const toCheck = (page: Page, name: string) => page.locator(".check", { hasText: name });

  it("opens at the moment of a shared link, and can be stepped through with the keyboard", async () => {
    const { page, problems } = await open(`${toSitePath("run", { id: site.world.onChainRun.sessionId })}?t=200`);
    await page.locator(".transport").waitFor();
    expect(await readTick(page)).to.equal(200);
    await page.keyboard.press(".");
    await waitUntil(async () => (await readTick(page)) === 201);
    await page.keyboard.press(",");
    await page.keyboard.press(",");
    await waitUntil(async () => (await readTick(page)) === 199);
    expect(await page.evaluate(() => document.activeElement === document.body), "nothing has the focus").to.equal(true);
    await page.keyboard.press("ArrowRight");
    await waitUntil(async () => (await readTick(page)) === 219);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await waitUntil(async () => (await readTick(page)) === 179);
    await page.keyboard.press("End");
    const { onChainRun } = site.world;
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

  it("reproduces the score, and finds it on chain by reading the chain directly", async () => {
    const { page, problems } = await open(toSitePath("run", { id: site.world.onChainRun.sessionId }));
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    const { score } = site.world.onChainRun;
    await toCheck(page, "Replayed in this browser").getByText(`the replay gives ${score} points`).waitFor();
    await toCheck(page, "The score on chain")
      .getByText(`The chain holds ${score} points for exactly this run`)
      .waitFor();
    expect(asked.some((url) => url.startsWith(site.world.stack.chain.rpcUrl))).to.equal(true);
    expect(problems).to.deep.equal([]);
  });

  it("shows REPRODUCED, SIGNED_BY_PLAYER or DIVERGED, each with the reason", async () => {
    const { score } = site.world.onChainRun;
    const sign = async (replay: Replay): Promise<Replay> => ({
      ...replay,
      transcriptSignature: await site.world.agent.wallet.signTypedData!(createTranscript(replay)),
    });
    const cases: readonly (readonly [Verdict, string, (replay: Replay) => object | Promise<object>])[] = [
      ["REPRODUCED", "the wallet has not signed it", (replay) => replay],
      ["SIGNED_BY_PLAYER", "the wallet signed it", sign],
      [
        "DIVERGED",
        `finalScore: expected what a fresh run gives, received ${score + 1}`,
        (replay) => ({ ...replay, finalScore: score + 1 }),
      ],
    ];
    for (const [word, reason, change] of cases) {
      const page = await openChanged(change);
      const check = toCheck(page, "Replayed in this browser");
      await check.getByText(reason).waitFor();
      expect(await check.locator(".verdict").textContent()).to.equal(word);
    }
  });

  it("shows CANNOT_RECOMPUTE with the reason, and no picture, for a run with unknown rules", async () => {
    const rulesHash = `0x${"ab".repeat(32)}` as const;
    const { page } = await open("/leaderboard");
    // The record belongs to the same run, since its digest and hash cover the rules.
    const fetched = await fetch(
      `${site.world.url}/api/games/shellrunners/sessions/${site.world.otherRun.sessionId}/replay`,
    );
    const other = { ...((await fetched.json()) as Replay), rulesHash };
    const replayDigest = computeReplayDigest(other);
    await page.route("**/replay", (route) => route.fulfill({ json: other }));
    await page.route(`**/api/sessions/${other.sessionId}`, async (route) => {
      const body = await (await route.fetch()).json();
      body.session.replay.digest = replayDigest;
      const facts = { ...other, replayDigest, sequence: BigInt(other.sequence) };
      body.session.snapshot.gameSessionHash = computeGameSessionHash(facts);
      await route.fulfill({ json: body });
    });
    await page.goto(site.world.url + toSitePath("run", { id: other.sessionId }));
    await page.getByText("This page does not have the rules").waitFor();
    const check = toCheck(page, "Replayed in this browser");
    await check.getByText(`received ${rulesHash}`).waitFor();
    expect(await check.locator(".verdict").textContent()).to.equal("CANNOT_RECOMPUTE");
    expect(await check.getAttribute("data-verdict")).to.equal("open");
    expect(await page.locator(".run-picture").count()).to.equal(0);
  });

  it("turns red for a replay with one changed bit", async () => {
    const page = await openChanged((replay) => {
      const [first, ...rest] = replay.inputs;
      // The lowest bit of the tick of the first input.
      return { ...replay, inputs: [[first![0] ^ 1, first![1]], ...rest] };
    });
    await page.locator('[data-verdict="failed"]', { hasText: "The score on chain" }).waitFor();
    await page.locator('[data-verdict="failed"]', { hasText: "Replayed in this browser" }).waitFor();
    expect(await page.locator('[data-verdict="ok"]').count()).to.equal(0);
  });

  it("turns red for the same run of another wallet", async () => {
    const wallet = site.world.stack.accounts[3]!.address;
    const page = await openChanged((replay) => ({ ...replay, wallet }));
    await page.locator('[data-verdict="failed"]', { hasText: "The score on chain" }).waitFor();
    await page.locator('[data-verdict="failed"]', { hasText: "Replayed in this browser" }).waitFor();
    expect(await page.locator('[data-verdict="ok"]').count()).to.equal(0);
  });

  it("reports that a score is not on chain yet", async () => {
    const { page } = await open(toSitePath("run", { id: site.world.otherRun.sessionId }));
    const verdict = page.locator('[data-verdict="open"]');
    expect(await verdict.textContent()).to.include("The score is not on chain yet");
  });

  it("plays 3 s before each lost life, with what the reference bot would have done", async () => {
    const short = recordShortReplay("shellrunners");
    const { events, tickHz } = new Recording(findGame("shellrunners")!, short);
    const lost = events.filter(({ event }) => event === "life_lost").map(({ tick }) => tick);
    const page = await openChanged((replay) => ({ ...replay, ...short }));
    const moments = page.locator(".moments li", { hasText: "Lost a life" });
    await moments.first().waitFor();
    expect(await moments.count())
      .to.equal(lost.length)
      .and.above(0);
    // Slow enough to be paused within the lead-in.
    await page.locator(".speeds button").first().click();
    for (const [index, tick] of lost.entries()) {
      const moment = moments.nth(index);
      expect(await moment.textContent()).to.match(
        /The reference bot, the dashed outline, would have (kept this life|lost this life too)/,
      );
      await moment.getByRole("button").click();
      await page.getByRole("button", { name: "Pause", exact: true }).click();
      expect(await readTick(page)).to.be.within(tick - 3 * tickHz, tick - 1);
    }
  });

  it("has the run's facts to copy, and the frame at the chosen tick as JSON", async () => {
    const { sessionId, hash } = site.world.onChainRun;
    const { page, problems } = await open(`${toSitePath("run", { id: sessionId })}?t=200`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const { session } = await site.world.agent.client.sessions.getById({ sessionId });
    const { seed, rulesVersion } = await site.world.agent.client.sessions.replay({ slug: session.slug, sessionId });
    await toCheck(page, "The score on chain").getByText("in block").waitFor();
    // The picture's keys do not take those of a focused control.
    await page.getByText("Facts to copy").press("Space");
    const rows = await page
      .locator(".run-facts dl > div")
      .evaluateAll((found) =>
        found.map((row) => [row.querySelector("dt")!.textContent, row.querySelector("code")!.textContent] as const),
      );
    const { Block: block, ...facts } = Object.fromEntries(rows);
    expect(facts).to.deep.equal({
      Session: sessionId,
      Wallet: session.walletAddress,
      Rules: `shellrunners v${rulesVersion}`,
      Seed: seed,
      "Seed commitment": session.seedCommitment,
      "Replay digest": session.replay!.digest,
      "Game session hash": hash,
      Transaction: session.snapshot.txHash,
    });
    expect(Number(block)).to.be.above(0);
    await page.getByRole("button", { name: "Copy: Game session hash" }).click();
    await waitUntil(async () => (await page.evaluate(() => navigator.clipboard.readText())) === hash);
    await page.getByText("Frame as JSON").click();
    await waitUntil(async () => JSON.parse((await page.locator(".run-facts pre").textContent()) || "{}").tick === 200);
    const frame = page.locator(".run-facts pre");
    await frame.press("End");
    await waitUntil(() => frame.evaluate((box) => box.scrollTop > 0));
    expect(await readTick(page)).to.equal(200);
    expect(problems).to.deep.equal([]);
  });

  it("still works if the run to compare with does not exist", async () => {
    const { page } = await open(`${toSitePath("run", { id: site.world.onChainRun.sessionId })}?with=nope`);
    await page.getByText("The run to compare with could not be loaded.").waitFor();
    await page.locator(".run-picture canvas").waitFor();
    expect(await page.locator(".run-result").textContent()).to.contain(`${site.world.onChainRun.score} points`);
  });

  it("shows two runs side by side", async () => {
    const path = toSitePath("run", { id: site.world.otherRun.sessionId });
    const { page, problems } = await open(`${path}?with=${site.world.onChainRun.sessionId}&t=100`);
    await page.locator(".run-picture canvas").nth(1).waitFor();
    expect(await page.locator("[data-tick]").allTextContents()).to.deep.equal(["100", "100"]);
    // For tall games also on a phone, on which one below the other would never be visible together.
    await page.setViewportSize({ width: 390, height: 844 });
    const boxes = await Promise.all(
      [0, 1].map((index) => page.locator(".run-picture .bezel").nth(index).boundingBox()),
    );
    expect(boxes[0]!.y).to.equal(boxes[1]!.y);
    expect(problems).to.deep.equal([]);
  });

  it("shows names that look like markup as text", async () => {
    const { page, problems } = await open(toSitePath("run", { id: site.world.onChainRun.sessionId }));
    await page.locator(".player b").first().waitFor();
    expect(await page.locator(".player b").first().textContent()).to.equal(site.world.agent.name);
    expect(await page.locator("main img[src=x]").count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("reports an unknown run, and one that is still being played", async () => {
    const { page } = await open("/runs/0190f1d5-7c4e-7abc-8def-0123456789ab");
    await page.getByText("There is no page at this address").waitFor();
    const live = await site.world.startLiveRun("flappybots", "Wader");
    await page.goto(site.world.url + toSitePath("run", { id: live.sessionId }));
    await page.getByText("This run is still being played").waitFor();
    await page.getByRole("link", { name: "Watch it live" }).click();
    await page.locator('[data-phase="running"]').waitFor();
    expect(page.url()).to.include(live.sessionId);
  });
});
