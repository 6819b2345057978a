import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { recoverTypedDataAddress } from "viem";
import { developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import { addEndedSession, withStore } from "../../../testing/ended-session.ts";
import { createAgent, createPlayer } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "../support/cut-chain.ts";
import { getAgentId } from "../support/identities.ts";
import { createNftActions, FIRST_TIER, SECOND_TIER } from "../support/nft.ts";
import { sendCall, sendWithFixedGas } from "../support/on-chain.ts";
import { SHOWN_BY } from "../support/shown-elsewhere.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const ROUTES = ["nft.prepare", "nft.record"];
const UNKNOWN_TX = `0x${"ab".repeat(32)}`;

describe("game NFTs", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack({}, closeWithoutChain);
  api.checkCodesAfterAll(ROUTES, [
    "nft.prepare: SPONSORSHIP_EXHAUSTED",
    "nft.prepare: TX_FAILED",
    ...SHOWN_BY.transfers,
  ]);

  const { withToken, prepare, record, start, reachScore } = createNftActions(() => stack, api);

  it("a game NFT is minted for a score on chain, signed by the game's own key", async () => {
    const player = await createAgent(stack);
    expect(await prepare(player)).to.deep.include({ action: "none", reason: "BELOW_FIRST_TIER", tokenId: null });
    const { sessionId, score } = await reachScore(player, FIRST_TIER);
    const mint = await prepare(player);
    const agentId = await getAgentId(player);
    expect(mint).to.include({ action: "mint", score, tier: 1, tokenId: null });
    expect(mint.call).to.deep.include({ functionName: "mintSigned", to: stack.deployment.nft.shellrunners });
    expect(mint.typedData.message).to.include({ wallet: player.address, agentId, score: String(score) });
    expect(await recoverTypedDataAddress({ ...mint.typedData, signature: mint.signature })).to.equal(
      developmentServiceAccount(5).address,
    );
    const txHash = await sendCall(player, mint.call);
    const recorded = { recorded: true, action: "mint", tokenId: agentId, tier: 1, score, finality: "included" };
    expect(await record(player, txHash)).to.deep.include(recorded);
    expect(await record(player, txHash)).to.deep.include({
      ...recorded,
      finality: (await record(player, txHash)).finality,
    });
    expect(await prepare(player)).to.deep.include({ action: "none", reason: "ALREADY_RECORDED", tokenId: agentId });
    expect(await prepare(player, { sessionId })).to.include({ reason: "ALREADY_RECORDED" });
  });

  it("a higher score upgrades the NFT, and the gate waits for a higher tier", async () => {
    const player = await createAgent(stack);
    const first = await reachScore(player, FIRST_TIER);
    await sendCall(player, (await prepare(player)).call);
    const tokenId = await getAgentId(player);

    const better = await reachScore(player, first.score + 20);
    expect((await start(player)).status, "a better score of the same tier does not close the gate").to.equal(200);
    await player.client.sessions.end({
      slug: "shellrunners",
      sessionId: (await start(player)).body.sessionId,
    });
    const upgrade = await prepare(player);
    expect(upgrade).to.include({ action: "upgrade", score: better.score, tier: 1, tokenId });
    expect(upgrade.call.functionName).to.equal("upgradeSigned");
    const txHash = await sendCall(player, upgrade.call);
    expect(await record(player, txHash)).to.include({ action: "upgrade", tokenId, score: better.score, tier: 1 });
    expect(await prepare(player, { sessionId: first.sessionId })).to.include({
      action: "none",
      reason: "NOT_NEW_HIGH_SCORE",
      tokenId,
    });

    const best = await reachScore(player, SECOND_TIER);
    const rejected = await start(player);
    expect(rejected.body).to.deep.include({
      code: "NFT_MINT_REQUIRED",
      sessionId: best.sessionId,
      score: best.score,
      tier: 2,
      action: "upgrade",
      next: {
        method: "POST",
        path: "/api/games/shellrunners/nft/prepare",
        body: { sessionId: best.sessionId },
      },
    });
    // No caller records the transaction. The chain alone opens the gate.
    await sendCall(player, (await prepare(player)).call);
    expect((await start(player)).status).to.equal(200);
  });

  it("a withheld or forfeited score never counts, even if an earlier signature put it on chain", async () => {
    for (const [withhold, code] of [
      [true, "REPLAY_MISMATCH"],
      [false, "NOTHING_TO_SNAPSHOT"],
    ] as const) {
      const player = await createAgent(stack);
      const { sessionId } = await addEndedSession(stack, { wallet: player.address, minScore: FIRST_TIER });
      const signed = await api.expectSuccess("rewards.snapshot", await withToken(player, { sessionId }));
      await withStore(stack, async ({ operator }) => {
        const stamp = { auditId: randomUUID(), who: "test", atMs: Date.now() };
        if (withhold) await operator.withholdScore(sessionId, "test", stamp);
        else await operator.forfeitScore(sessionId, "test", stamp);
      });
      await sendCall(player, signed.body.call);
      await api.expectError("nft.prepare", code, await withToken(player, { sessionId }));
      expect(await prepare(player)).to.deep.include({ action: "none", reason: "BELOW_FIRST_TIER", tokenId: null });
      expect((await start(player)).status, "the NFT gate does not wait for this score").to.equal(200);
    }
  });

  it("a game NFT is recorded only by its own transaction", async () => {
    const [player, other] = [await createAgent(stack), await createAgent(stack)];
    const { txHash: snapshotTx } = await reachScore(player, FIRST_TIER);
    await api.expectError("nft.record", "TX_NOT_FOUND", await withToken(player, { txHash: UNKNOWN_TX }));
    await api.expectError("nft.record", "TX_MISMATCH", await withToken(player, { txHash: snapshotTx }));
    const { call } = await prepare(player);
    const mintTx = await sendCall(player, call);
    await api.expectError("nft.record", "TX_MISMATCH", await withToken(other, { txHash: mintTx }));
    const elsewhere = { ...(await withToken(player, { txHash: mintTx })), params: { slug: "flappybots" } };
    await api.expectError("nft.record", "TX_MISMATCH", elsewhere);
    const failedTx = await sendWithFixedGas(stack, stack.accounts[3]!.privateKey, call);
    const { body } = await api.expectError("nft.record", "TX_FAILED", await withToken(player, { txHash: failedTx }));
    expect(body.txHash).to.equal(failedTx);
  });

  it("a game NFT needs an ended agent session of the caller that is on chain", async () => {
    const [player, other] = [await createAgent(stack), await createAgent(stack)];
    const foreign = await addEndedSession(stack, { wallet: other.address });
    const practice = await addEndedSession(stack, { wallet: player.address, source: "browser_ws" });
    const started = await start(player);
    const active = started.body.sessionId;
    const elsewhere = await addEndedSession(stack, { wallet: player.address, slug: "flappybots", minScore: 10 });
    for (const [sessionId, code] of [
      [foreign.sessionId, "SESSION_NOT_FOUND"],
      [elsewhere.sessionId, "SESSION_NOT_FOUND"],
      [practice.sessionId, "SOURCE_NOT_ELIGIBLE"],
      [active, "SESSION_NOT_ENDED"],
    ] as const)
      await api.expectError("nft.prepare", code, await withToken(player, { sessionId }));
    await player.client.sessions.end({ slug: "shellrunners", sessionId: active });
    const { sessionId, score } = await addEndedSession(stack, { wallet: player.address, minScore: FIRST_TIER });
    const { body } = await api.expectError("nft.prepare", "SNAPSHOT_REQUIRED", await withToken(player, { sessionId }));
    expect(body).to.deep.include({
      sessionId,
      gameSessionId: sessionId,
      score,
      next: { method: "POST", path: "/api/rewards/snapshot", body: { sessionId } },
    });
    const [forfeited, withheld] = [
      await addEndedSession(stack, { wallet: player.address }),
      await addEndedSession(stack, { wallet: player.address }),
    ];
    await withStore(stack, async ({ sessions }) => {
      await sessions.forfeit(forfeited.sessionId, { atMs: Date.now(), signedBeforeSeconds: 0 });
      await sessions.setVerification(withheld.sessionId, "withheld");
    });
    for (const [row, code] of [
      [forfeited, "NOTHING_TO_SNAPSHOT"],
      [withheld, "REPLAY_MISMATCH"],
    ] as const)
      await api.expectError("nft.prepare", code, await withToken(player, { sessionId: row.sessionId }));
    await api.expectError("nft.prepare", "IDENTITY_REQUIRED", await withToken(await createPlayer(stack)));
    const tetris = { params: { slug: "tetris" }, token: await player.getAccessToken() };
    await api.expectError("nft.prepare", "GAME_NOT_FOUND", { ...tetris, body: {} });
    await api.expectError("nft.record", "GAME_NOT_FOUND", { ...tetris, body: { txHash: UNKNOWN_TX } });
    await api.expectError("nft.record", "VALIDATION_FAILED", await withToken(player, { txHash: "0x12" }));
  });

  it("signs a score's mint beside its signed snapshot, so that a wallet can send both as one", async () => {
    const player = await createAgent(stack);
    const { sessionId } = await addEndedSession(stack, { wallet: player.address, minScore: FIRST_TIER });
    const together = await withToken(player, { sessionId, withSnapshot: true });
    // Without a signed snapshot, the mint cannot be sent together with it.
    await api.expectError("nft.prepare", "SNAPSHOT_REQUIRED", together);
    await player.client.rewards.snapshot({ sessionId });
    await api.expectError("nft.prepare", "SNAPSHOT_REQUIRED", await withToken(player, { sessionId }));
    const { body } = await api.expectSuccess("nft.prepare", together);
    expect(body).to.deep.include({ action: "mint", tier: 1 });
    expect(body.call.functionName).to.equal("mintSigned");
  });

  describe("while the chain is unavailable", () => {
    it("the NFT routes report an unavailable chain", async () => {
      const player = await createAgent(stack);
      await prepare(player);
      await stopChain(stack);
      await api.expectError("nft.prepare", "CHAIN_UNAVAILABLE", await withToken(player));
      await api.expectError("nft.record", "CHAIN_UNAVAILABLE", await withToken(player, { txHash: UNKNOWN_TX }));
    });
  });
});
