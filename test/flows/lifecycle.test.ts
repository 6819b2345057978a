import { expect } from "chai";
import {
  mintOrUpgradeNft,
  requestPayout,
  sendPayoutFromWallet,
  snapshotScore,
  verifyReplay,
} from "../../client/index.ts";
import { createFastClock } from "../../testing/clock.ts";
import { createAgent, createPlayer } from "../../testing/player.ts";
import { EASY_GAMES } from "../helpers/easy-games.ts";
import { useShared } from "../helpers/fixture.ts";
import { FIRST_TIER_MS, playQuick, playUntilScore } from "../helpers/flows.ts";
import { type TestStack, useTestStack } from "../helpers/suite.ts";

/** Passes the local chain's cooldown by advancing its time, not ours. */
async function advancePastCooldown(stack: TestStack): Promise<void> {
  await stack.chain.request("evm_increaseTime", [6]);
  await stack.chain.request("evm_mine", []);
}

describe("the lifecycle of an agent", () => {
  const stack = useTestStack({ clock: createFastClock(4), gameList: EASY_GAMES });
  const agent = useShared(() => createAgent(stack, "Pinch"));

  it("registers an identity whose file contains it, and whose document is served under its hash", async () => {
    const status = await agent.client.identity.ownershipStatus({ walletAddress: agent.address });
    expect(status).to.include({ owned: true, owner: agent.address });
    expect(status.tokenURI).to.match(new RegExp(`^${stack.httpUrl}/api/metadata/agent/`));
    const { pathname } = new URL(status.tokenURI!);
    const file = await stack.request("GET", pathname);
    expect(file.body).to.deep.include({
      name: "Pinch",
      registrations: [{ agentId: Number(status.agentId), agentRegistry: status.registry }],
    });
    const document = await stack.request("GET", pathname.replace("/agent/", "/identity/"));
    expect(document.body).to.deep.equal({ ...file.body, registrations: [] });
    expect(document.headers.get("cache-control")).to.match(/immutable/);
  });

  it("plays both games, snapshots, mints, is paid and reads its history", async () => {
    const ends = [];
    for (const slug of ["shellrunners", "flappybots"]) {
      const end = await playQuick(agent, slug, FIRST_TIER_MS);
      expect(end.endReason).to.equal("lives_lost");
      expect(end.score).to.be.greaterThan(0);
      ends.push({ slug, end });

      const replay = (await stack.request("GET", `/api/games/${slug}/sessions/${end.sessionId}/replay`)).body;
      const verdict = await verifyReplay(replay);
      expect(verdict.ok, JSON.stringify(verdict)).to.equal(true);
      expect(verdict.finalScore).to.equal(end.score);

      const started = await stack.request("POST", `/api/games/${slug}/sessions/start`, {
        token: await agent.getAccessToken(),
        body: { source: "agent_api" },
      });
      expect(started.body).to.include({
        code: "SNAPSHOT_REQUIRED",
        sessionId: end.sessionId,
        gameSessionId: end.sessionId,
        score: end.score,
      });

      const snapshot = await snapshotScore({ client: agent.client, sessionId: end.sessionId });
      expect(snapshot).to.include({ mode: "recorded", scoreDelta: end.score });
      expect((await agent.client.rewards.snapshot({ sessionId: end.sessionId })).mode).to.equal("already_done");
      expect(await mintOrUpgradeNft({ client: agent.client, slug })).to.include({ action: "mint" });
    }
    const total = ends.reduce((sum, { end }) => sum + end.score, 0);
    const scorebank = await agent.client.rewards.scorebank({});
    expect(scorebank).to.deep.include({ score: total, snapshots: 2, pending: [] });
    expect(scorebank.byGame).to.deep.equal(Object.fromEntries(ends.map(({ slug, end }) => [slug, end.score])));

    await advancePastCooldown(stack);
    const outcome = await requestPayout({ client: agent.client });
    expect(outcome.paid, JSON.stringify(outcome)).to.equal(true);
    if (outcome.paid)
      expect(outcome.payout).to.include({ status: "included", score: total, amount: `${total}${"0".repeat(18)}` });
    expect((await agent.client.rewards.scorebank({})).score).to.equal(0);
    const history = await agent.client.rewards.payoutHistory({ includeAllGames: true });
    expect(history.items).to.have.length(1);
    expect(history.items[0]).to.deep.include({ score: total, byGame: scorebank.byGame });
    const [gameShare] = (await agent.client.rewards.payoutHistory({ gameSlug: "flappybots" })).items;
    expect(gameShare!.score).to.equal(scorebank.byGame.flappybots);

    const again = await stack.request("POST", "/api/rewards/payout", { token: await agent.getAccessToken(), body: {} });
    expect(again.body).to.include({ code: "PAYOUT_NOT_READY" });
    expect(again.body.reasons).to.include("SCOREBANK_EMPTY");
  });

  it("keeps a practice session out of snapshots, replays and NFTs", async () => {
    const { body: practice } = await stack.request("POST", "/api/games/flappybots/sessions/start", {
      token: await agent.getAccessToken(),
      body: { source: "browser_ws" },
    });
    const { sessionId } = practice;
    const live = await stack.request("GET", "/api/games/flappybots/sessions/live");
    expect(live.body.items.map((item: { sessionId: string }) => item.sessionId)).to.not.include(sessionId);
    await agent.client.sessions.end({ slug: "flappybots", sessionId });
    const token = await agent.getAccessToken();
    const refusals = [
      await stack.request("POST", "/api/rewards/snapshot", { token, body: { sessionId } }),
      await stack.request("POST", "/api/games/flappybots/nft/prepare", { token, body: { sessionId } }),
      await stack.request("GET", `/api/games/flappybots/sessions/${sessionId}/replay`),
    ];
    expect(refusals.map(({ body }) => body.code)).to.deep.equal([
      "SOURCE_NOT_ELIGIBLE",
      "SOURCE_NOT_ELIGIBLE",
      "SOURCE_NOT_ELIGIBLE",
    ]);
    const state = await stack.request("POST", "/api/rewards/start-session", { token, body: { sessionId } });
    expect(state.body).to.deep.include({
      eligible: false,
      snapshot: { state: "none", gameSessionHash: null, txHash: null },
    });
  });

  it("rejects requests that need an identity from a wallet without one", async () => {
    const otherPlayer = await createPlayer(stack);
    const token = await otherPlayer.getAccessToken();
    for (const [path, body] of [
      ["/api/games/shellrunners/sessions/start", { source: "agent_api" }],
      ["/api/rewards/start-session", { gameSlug: "shellrunners" }],
      ["/api/rewards/snapshot", {}],
      ["/api/rewards/payout", {}],
      ["/api/games/shellrunners/nft/prepare", {}],
    ] as const) {
      const response = await stack.request("POST", path, { token, body });
      expect(response.body.code, path).to.equal("IDENTITY_REQUIRED");
    }
  });

  it("lets the wallet send the payout's call itself", async () => {
    const unregisteredPlayer = await createAgent(stack, "Loner");
    const end = await playUntilScore(unregisteredPlayer, "flappybots");
    await snapshotScore({ client: unregisteredPlayer.client, sessionId: end.sessionId });
    await advancePastCooldown(stack);
    const receipt = await sendPayoutFromWallet({ client: unregisteredPlayer.client });
    expect(receipt.status).to.equal("success");
    expect((await unregisteredPlayer.client.rewards.payoutHistory({})).items[0]).to.include({ score: end.score });
  });
});
