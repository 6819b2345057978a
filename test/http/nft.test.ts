import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { encodeFunctionData, parseAbi, recoverTypedDataAddress } from "viem";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { findPendingTier } from "../../backend/domain/gates.ts";
import { snapshotScore } from "../../client/index.ts";
import { createAgent, createPlayer, type Player } from "../helpers/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { sendCall, sendWithFixedGas, transferToken } from "./support/on-chain.ts";
import { addEndedSession, withStore } from "./support/plant-session.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const ROUTES = ["nft.prepare", "nft.record"];
const GAME = { params: { slug: "shellrunners" } };
const FIRST_TIER = 220;
const SECOND_TIER = 900;
const UNKNOWN_TX = `0x${"ab".repeat(32)}`;

describe("game NFTs", () => {
  let stack: TestStack;
  const api = createRouteTester(() => stack);
  api.checkCodesAfterAll(ROUTES, ["nft.prepare: SPONSORSHIP_EXHAUSTED", "nft.prepare: TX_FAILED"]);
  before(async () => {
    stack = await startTestStack();
  });
  after(() => closeWithoutChain(stack));

  const withToken = async (player: Player, body: object = {}) => ({
    ...GAME,
    token: await player.getAccessToken(),
    body,
  });
  const prepare = async (player: Player, body: object = {}) =>
    (await api.expectSuccess("nft.prepare", await withToken(player, body))).body;
  const record = async (player: Player, txHash: string) =>
    (await api.expectSuccess("nft.record", await withToken(player, { txHash }))).body;
  const start = async (player: Player) => api.call("sessions.start", await withToken(player, { source: "agent_api" }));
  const getAgentId = async (player: Player): Promise<string> =>
    (await player.client.identity.ownershipStatus({ walletAddress: player.address })).agentId!;

  const choosePrimary = (player: Player, agentId: string): Promise<string> =>
    sendCall(player, {
      to: stack.deployment.identity,
      data: encodeFunctionData({
        abi: parseAbi(["function setPrimaryIdentity(uint256 agentId)"]),
        functionName: "setPrimaryIdentity",
        args: [BigInt(agentId)],
      }),
    });

  /** Another wallet's identity, given to the player. */
  async function receiveIdentity(player: Player): Promise<string> {
    const giver = await createAgent(stack);
    const agentId = await getAgentId(giver);
    await transferToken(giver, stack.deployment.identity, player.address, agentId);
    return agentId;
  }

  /** Brings a fresh session's score on chain. */
  async function reachScore(player: Player, minScore: number) {
    const row = await addEndedSession(stack, { wallet: player.address, minScore });
    const { txHash } = await snapshotScore({ client: player.client, sessionId: row.sessionId });
    return { ...row, txHash };
  }

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
    // No caller records the transaction: the chain itself opens the gate.
    await sendCall(player, (await prepare(player)).call);
    expect((await start(player)).status).to.equal(200);
  });

  it("the gate ignores an NFT that its first owner has transferred", async () => {
    const [player, buyer] = [await createAgent(stack), await createPlayer(stack)];
    await reachScore(player, FIRST_TIER);
    await sendCall(player, (await prepare(player)).call);
    const tokenId = await getAgentId(player);
    await transferToken(player, stack.deployment.nft.shellrunners!, buyer.address, tokenId);
    await reachScore(player, SECOND_TIER);
    expect(await prepare(player)).to.include({ action: "none", reason: "TOKEN_TRANSFERRED", tokenId });
    expect((await start(player)).status).to.equal(200);
  });

  it("the buyer of a game NFT upgrades it by naming the token", async () => {
    const [seller, buyer] = [await createAgent(stack), await createAgent(stack)];
    await reachScore(seller, FIRST_TIER);
    await sendCall(seller, (await prepare(seller)).call);
    const tokenId = await getAgentId(seller);
    await reachScore(buyer, SECOND_TIER);
    const rejected = await api.expectError("nft.prepare", "FORBIDDEN", await withToken(buyer, { tokenId }));
    expect(rejected.body.error).to.include(buyer.address).and.to.include(seller.address);
    await api.expectError("nft.prepare", "NOT_FOUND", await withToken(buyer, { tokenId: "999999" }));

    await transferToken(seller, stack.deployment.nft.shellrunners!, buyer.address, tokenId);
    const upgrade = await prepare(buyer, { tokenId });
    expect(upgrade).to.include({ action: "upgrade", tier: 2, tokenId });
    const txHash = await sendCall(buyer, upgrade.call);
    expect(await record(buyer, txHash)).to.include({ action: "upgrade", tokenId, tier: 2 });
  });

  it("the former owner of an identity mints nothing, neither now nor by an old signature", async () => {
    const [seller, buyer] = [await createAgent(stack), await createPlayer(stack)];
    const agentId = await getAgentId(seller);
    await reachScore(seller, FIRST_TIER);
    const old = await prepare(seller);
    await transferToken(seller, stack.deployment.identity, buyer.address, agentId);
    await api.expectError("nft.prepare", "IDENTITY_REQUIRED", await withToken(seller));
    const failedTx = await sendWithFixedGas(stack, stack.accounts[3]!.privateKey, old.call);
    await api.expectError("nft.record", "TX_FAILED", await withToken(seller, { txHash: failedTx }));
  });

  it("a score counts only for the identity that it was played under, also when its session is named", async () => {
    const player = await createAgent(stack);
    const first = await getAgentId(player);
    const { sessionId } = await reachScore(player, SECOND_TIER);
    const second = await receiveIdentity(player);
    await choosePrimary(player, second);
    expect(await prepare(player)).to.deep.include({ action: "none", reason: "BELOW_FIRST_TIER", tokenId: null });
    const { body } = await api.expectError("nft.prepare", "FORBIDDEN", await withToken(player, { sessionId }));
    expect(body).to.include({ sessionId });
    expect(body.error).to.contain(`played as agent ${first}`).and.to.contain(`as agent ${second}`);
    const gate = await stack.app.services.nft.getGateFacts(player.address, second, "shellrunners");
    expect(findPendingTier(gate), "the gate waits for nothing that cannot be minted").to.equal(null);

    await choosePrimary(player, first);
    const mint = await prepare(player, { sessionId });
    expect(mint.typedData.message.agentId).to.equal(first);
  });

  it("the buyer of an identity mints its game NFT with a score of its own, after the seller's signature was void", async () => {
    const [seller, buyer] = [await createAgent(stack), await createPlayer(stack)];
    const agentId = await getAgentId(seller);
    await reachScore(seller, FIRST_TIER);
    const old = await prepare(seller);
    await transferToken(seller, stack.deployment.identity, buyer.address, agentId);
    const failedTx = await sendWithFixedGas(stack, stack.accounts[3]!.privateKey, old.call);
    await api.expectError("nft.record", "TX_FAILED", await withToken(seller, { txHash: failedTx }));

    await choosePrimary(buyer, agentId);
    expect(await prepare(buyer)).to.deep.include({ action: "none", reason: "BELOW_FIRST_TIER", tokenId: null });
    await reachScore(buyer, FIRST_TIER);
    const mint = await prepare(buyer);
    expect(mint.typedData.message).to.include({ wallet: buyer.address, agentId });
    expect(await record(buyer, await sendCall(buyer, mint.call))).to.include({ action: "mint", tokenId: agentId });
  });

  it("an identity that was sold a moment ago is read from the chain before anything is signed", async () => {
    const [seller, buyer] = [await createAgent(stack), await createPlayer(stack)];
    await reachScore(seller, FIRST_TIER);
    await api.expectSuccess("rewards.readiness", { token: await seller.getAccessToken(), body: {} });
    // The cache holds the identity of the seller now.
    await stack.app.services.identity.requireIdentity(seller.address);
    await transferToken(seller, stack.deployment.identity, buyer.address, await getAgentId(seller));
    expect(await stack.app.services.identity.requireIdentity(seller.address)).to.be.a("string");
    await api.expectError("nft.prepare", "IDENTITY_REQUIRED", await withToken(seller));
  });

  it("a score that was withheld or given up never counts, although a signature from before brought it on chain", async () => {
    for (const [withhold, code] of [
      [true, "REPLAY_MISMATCH"],
      [false, "NOTHING_TO_SNAPSHOT"],
    ] as const) {
      const player = await createAgent(stack);
      const { sessionId } = await addEndedSession(stack, { wallet: player.address, minScore: FIRST_TIER });
      const signed = await api.expectSuccess("rewards.snapshot", await withToken(player, { sessionId }));
      await withStore(stack, async ({ sessions, operator }) => {
        const stamp = { auditId: randomUUID(), who: "test", atMs: Date.now() };
        if (withhold) await operator.withholdScore(sessionId, "test", stamp);
        else await sessions.forfeit(sessionId, Date.now());
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
      await sessions.forfeit(forfeited.sessionId, Date.now());
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
  it("signs the mint of a score beside its signed snapshot, so that a wallet sends both as one", async () => {
    const player = await createAgent(stack);
    const { sessionId } = await addEndedSession(stack, { wallet: player.address, minScore: FIRST_TIER });
    const together = await withToken(player, { sessionId, withSnapshot: true });
    // Without a signature for the snapshot there is nothing to send the mint with.
    await api.expectError("nft.prepare", "SNAPSHOT_REQUIRED", together);
    await player.client.rewards.snapshot({ sessionId });
    await api.expectError("nft.prepare", "SNAPSHOT_REQUIRED", await withToken(player, { sessionId }));
    const { body } = await api.expectSuccess("nft.prepare", together);
    expect(body).to.deep.include({ action: "mint", tier: 1 });
    expect(body.call.functionName).to.equal("mintSigned");
  });

  describe("with the chain away", () => {
    it("the NFT routes report an unavailable chain", async () => {
      const player = await createAgent(stack);
      await prepare(player);
      await stopChain(stack);
      await api.expectError("nft.prepare", "CHAIN_UNAVAILABLE", await withToken(player));
      await api.expectError("nft.record", "CHAIN_UNAVAILABLE", await withToken(player, { txHash: UNKNOWN_TX }));
    });
  });
});
