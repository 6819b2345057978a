import { expect } from "chai";
import { recoverTypedDataAddress } from "viem";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { snapshotScore } from "../../client/index.ts";
import { makeAgent, makePlayer, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { giveAway, sendAnyway, sendCall } from "./support/on-chain.ts";
import { plantSession } from "./support/plant-session.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const ROUTES = ["nft.prepare", "nft.record"];
const GAME = { params: { slug: "shellrunners" } };
const FIRST_TIER = 220;
const SECOND_TIER = 900;
const UNKNOWN_TX = `0x${"ab".repeat(32)}`;

describe("game NFTs", () => {
  let suite: Suite;
  const api = watchRoutes(() => suite);
  before(async () => {
    suite = await startSuite();
  });
  after(() => endWithoutChain(suite));

  const with_ = async (player: Player, body: object = {}) => ({ ...GAME, token: await player.token(), body });
  const prepare = async (player: Player, body: object = {}) =>
    (await api.succeed("nft.prepare", await with_(player, body))).body;
  const record = async (player: Player, txHash: string) =>
    (await api.succeed("nft.record", await with_(player, { txHash }))).body;
  const start = async (player: Player) => api.call("sessions.start", await with_(player, { source: "agent_api" }));
  const agentIdOf = async (player: Player): Promise<string> =>
    (await player.client.identity.ownershipStatus({ walletAddress: player.address })).agentId!;

  /** Brings a fresh session's score on chain. */
  async function reach(player: Player, minScore: number) {
    const row = await plantSession(suite, { wallet: player.address, minScore });
    const { txHash } = await snapshotScore({ client: player.client, sessionId: row.sessionId });
    return { ...row, txHash };
  }

  it("are minted from a score on chain, signed by the game's own key", async () => {
    const player = await makeAgent(suite);
    expect(await prepare(player)).to.deep.include({ action: "none", reason: "BELOW_FIRST_TIER", tokenId: null });
    const { sessionId, score } = await reach(player, FIRST_TIER);
    const mint = await prepare(player);
    const agentId = await agentIdOf(player);
    expect(mint).to.include({ action: "mint", score, tier: 1, tokenId: null });
    expect(mint.call).to.deep.include({ functionName: "mintSigned", to: suite.deployment.nft.shellrunners });
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

  it("are upgraded by a higher score, and the gate waits for a higher tier", async () => {
    const player = await makeAgent(suite);
    const first = await reach(player, FIRST_TIER);
    await sendCall(player, (await prepare(player)).call);
    const tokenId = await agentIdOf(player);

    const better = await reach(player, first.score + 20);
    expect((await start(player)).status, "a better score of the same tier keeps nobody from playing").to.equal(200);
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

    const best = await reach(player, SECOND_TIER);
    const refused = await start(player);
    expect(refused.body).to.deep.include({
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
    // Not recorded by anybody: the chain alone opens the gate.
    await sendCall(player, (await prepare(player)).call);
    expect((await start(player)).status).to.equal(200);
  });

  it("go on with whoever holds them: the gate is silent for the old owner", async () => {
    const [player, buyer] = [await makeAgent(suite), await makePlayer(suite)];
    await reach(player, FIRST_TIER);
    await sendCall(player, (await prepare(player)).call);
    const tokenId = await agentIdOf(player);
    await giveAway(player, suite.deployment.nft.shellrunners!, buyer.address, tokenId);
    await reach(player, SECOND_TIER);
    expect(await prepare(player)).to.include({ action: "none", reason: "TOKEN_TRANSFERRED", tokenId });
    expect((await start(player)).status).to.equal(200);
  });

  it("are recorded by their own transaction alone", async () => {
    const [player, other] = [await makeAgent(suite), await makeAgent(suite)];
    const { txHash: snapshotTx } = await reach(player, FIRST_TIER);
    await api.refuse("nft.record", "TX_NOT_FOUND", await with_(player, { txHash: UNKNOWN_TX }));
    await api.refuse("nft.record", "TX_MISMATCH", await with_(player, { txHash: snapshotTx }));
    const { call } = await prepare(player);
    const mintTx = await sendCall(player, call);
    await api.refuse("nft.record", "TX_MISMATCH", await with_(other, { txHash: mintTx }));
    const elsewhere = { ...(await with_(player, { txHash: mintTx })), params: { slug: "flappybots" } };
    await api.refuse("nft.record", "TX_MISMATCH", elsewhere);
    const failedTx = await sendAnyway(suite, suite.accounts[3]!.privateKey, call);
    const { body } = await api.refuse("nft.record", "TX_FAILED", await with_(player, { txHash: failedTx }));
    expect(body.txHash).to.equal(failedTx);
  });

  it("need an ended agent session of the caller that is on chain", async () => {
    const [player, other] = [await makeAgent(suite), await makeAgent(suite)];
    const foreign = await plantSession(suite, { wallet: other.address });
    const practice = await plantSession(suite, { wallet: player.address, source: "browser_ws" });
    const started = await start(player);
    const active = started.body.sessionId;
    const elsewhere = await plantSession(suite, { wallet: player.address, slug: "flappybots", minScore: 10 });
    for (const [sessionId, code] of [
      [foreign.sessionId, "SESSION_NOT_FOUND"],
      [elsewhere.sessionId, "SESSION_NOT_FOUND"],
      [practice.sessionId, "SOURCE_NOT_ELIGIBLE"],
      [active, "SESSION_NOT_ENDED"],
    ] as const)
      await api.refuse("nft.prepare", code, await with_(player, { sessionId }));
    await player.client.sessions.end({ slug: "shellrunners", sessionId: active });
    const { sessionId, score } = await plantSession(suite, { wallet: player.address, minScore: FIRST_TIER });
    const { body } = await api.refuse("nft.prepare", "SNAPSHOT_REQUIRED", await with_(player, { sessionId }));
    expect(body).to.deep.include({
      sessionId,
      gameSessionId: sessionId,
      score,
      next: { method: "POST", path: "/api/rewards/snapshot", body: { sessionId } },
    });
    await api.refuse("nft.prepare", "IDENTITY_REQUIRED", await with_(await makePlayer(suite)));
    const tetris = { params: { slug: "tetris" }, token: await player.token() };
    await api.refuse("nft.prepare", "GAME_NOT_FOUND", { ...tetris, body: {} });
    await api.refuse("nft.record", "GAME_NOT_FOUND", { ...tetris, body: { txHash: UNKNOWN_TX } });
    await api.refuse("nft.record", "VALIDATION_FAILED", await with_(player, { txHash: "0x12" }));
  });

  describe("with the chain away", () => {
    it("wait", async () => {
      const player = await makeAgent(suite);
      await prepare(player);
      await cutChain(suite);
      await api.refuse("nft.prepare", "CHAIN_UNAVAILABLE", await with_(player));
      await api.refuse("nft.record", "CHAIN_UNAVAILABLE", await with_(player, { txHash: UNKNOWN_TX }));
    });

    it("have shown every code of their routes", () => api.expectComplete(ROUTES));
  });
});
