import { expect } from "chai";
import { recoverTypedDataAddress } from "viem";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { makeAgent, makePlayer, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { chainFacts, sendAnyway, sendCall } from "./support/on-chain.ts";
import { type Planting, plantSession } from "./support/plant-session.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const ROUTES = ["rewards.startSession", "rewards.snapshot", "rewards.scorebank"];
const UNKNOWN_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";
const UNKNOWN_TX = `0x${"ab".repeat(32)}` as const;

describe("snapshots", () => {
  let suite: Suite;
  const api = watchRoutes(() => suite);
  before(async () => {
    suite = await startSuite();
  });
  after(() => endWithoutChain(suite));

  const plant = (player: Player, planting: Partial<Planting> = {}) =>
    plantSession(suite, { wallet: player.address, ...planting });
  const with_ = async (player: Player, body: object) => ({ token: await player.token(), body });
  const snapshot = async (player: Player, body: object = {}) =>
    api.succeed("rewards.snapshot", await with_(player, body));
  const scorebank = async (player: Player) => (await api.succeed("rewards.scorebank", await with_(player, {}))).body;

  it("are signed by the score key, with the call ready to send", async () => {
    const player = await makeAgent(suite);
    const row = await plant(player);
    const { body } = await snapshot(player, { sessionId: row.sessionId });
    const { chainId, rewards } = suite.deployment;
    expect(body).to.deep.include({
      mode: "sign",
      sessionId: row.sessionId,
      gameSlug: "shellrunners",
      scoreDelta: row.score,
      gameSessionHash: row.gameSessionHash,
      verifyingContract: rewards,
    });
    expect(body.call).to.deep.include({ chainId, to: rewards, value: "0", functionName: "snapshotScoreSigned" });
    expect(body.call.args).to.include.members([player.address, row.gameSessionHash, body.deadline, body.signature]);
    expect(body.typedData.types).to.have.property("EIP712Domain");
    const signer = await recoverTypedDataAddress({ ...body.typedData, signature: body.signature });
    expect(signer).to.equal(developmentServiceAccount(4).address);
    // Asked again before it is on chain: the same facts.
    const again = await snapshot(player);
    for (const field of ["sessionId", "scoreDelta", "gameSessionHash", "mode"])
      expect(again.body[field], field).to.equal(body[field]);
  });

  it("count once: a second one is refused by the API and by the contract", async () => {
    const player = await makeAgent(suite);
    const facts = chainFacts(suite);
    const row = await plant(player);
    const { sessionId } = row;
    const { body: prepared } = await snapshot(player, { sessionId });
    const { body: twin } = await snapshot(player, { sessionId });
    await api.refuse("rewards.snapshot", "TX_NOT_FOUND", await with_(player, { sessionId, txHash: UNKNOWN_TX }));

    const txHash = await sendCall(player, prepared.call);
    const recorded = await snapshot(player, { sessionId, txHash });
    expect(recorded.body).to.include({ mode: "recorded", txHash, scoreDelta: row.score, finality: "included" });
    expect((await snapshot(player, { sessionId, txHash })).body.mode).to.equal("recorded");
    expect((await snapshot(player, { sessionId })).body).to.include({ mode: "already_done", txHash });
    await api.refuse("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await with_(player, {}));

    for (const { call } of [prepared, twin]) {
      const failed = await sendAnyway(suite, suite.accounts[1]!.privateKey, call);
      const { body } = await api.refuse(
        "rewards.snapshot",
        "TX_FAILED",
        await with_(player, { sessionId, txHash: failed }),
      );
      expect(body.txHash).to.equal(failed);
    }
    expect(await facts.scorebank(player.address)).to.equal(BigInt(row.score));
    const bank = await scorebank(player);
    expect(bank).to.deep.include({ score: row.score, snapshots: 1, pending: [], byGame: { shellrunners: row.score } });
    expect(Date.parse(bank.lastSnapshotAt)).to.be.greaterThan(0);
  });

  it("are seen on chain by themselves, whoever sends them", async () => {
    const player = await makeAgent(suite);
    const row = await plant(player);
    const { body } = await snapshot(player);
    await sendAnyway(suite, suite.accounts[2]!.privateKey, body.call);
    expect((await scorebank(player)).score).to.equal(row.score);
    const state = await api.succeed("rewards.startSession", await with_(player, { sessionId: row.sessionId }));
    expect(state.body).to.deep.include({ eligible: true, reasons: [] });
    expect(state.body.snapshot).to.include({ state: "included", gameSessionHash: row.gameSessionHash });
  });

  it("are not mixed up with another transaction", async () => {
    const player = await makeAgent(suite);
    const [first, second] = [await plant(player), await plant(player, { minScore: 10 })];
    const txHash = await sendCall(player, (await snapshot(player, { sessionId: first.sessionId })).body.call);
    const { body } = await api.refuse(
      "rewards.snapshot",
      "TX_MISMATCH",
      await with_(player, { sessionId: second.sessionId, txHash }),
    );
    expect(body.txHash).to.equal(txHash);
  });

  it("come oldest first, by game, and many in one batch", async () => {
    const player = await makeAgent(suite);
    const rows = [
      await plant(player),
      await plant(player, { slug: "flappybots", minScore: 10 }),
      await plant(player, { minScore: 30 }),
    ];
    expect((await snapshot(player)).body.sessionId).to.equal(rows[0]!.sessionId);
    const flappy = await snapshot(player, { gameSlug: "flappy" });
    expect(flappy.body).to.include({ sessionId: rows[1]!.sessionId, gameSlug: "flappybots" });
    await api.refuse(
      "rewards.snapshot",
      "NOTHING_TO_SNAPSHOT",
      await with_(player, { sessionId: rows[0]!.sessionId, gameSlug: "flappybots" }),
    );
    const total = rows.reduce((sum, { score }) => sum + score, 0);
    const pending = (await scorebank(player)).pending;
    expect(pending.map((entry: { sessionId: string }) => entry.sessionId)).to.deep.equal(
      rows.map(({ sessionId }) => sessionId),
    );

    const { body: batch } = await snapshot(player, { all: true });
    expect(batch.call.functionName).to.equal("snapshotScoresSigned");
    expect(batch).to.include({ mode: "sign", scoreDelta: total });
    expect(batch.sessions.map((entry: { sessionId: string }) => entry.sessionId)).to.deep.equal(
      rows.map(({ sessionId }) => sessionId),
    );
    const txHash = await sendCall(player, batch.call);
    expect(await chainFacts(suite).scorebank(player.address)).to.equal(BigInt(total));
    expect(await scorebank(player)).to.deep.include({ score: total, snapshots: 3, pending: [] });
    for (const { sessionId } of rows) {
      expect((await snapshot(player, { sessionId })).body.mode).to.equal("already_done");
      expect((await snapshot(player, { sessionId, txHash })).body.mode).to.equal("recorded");
    }
    await api.refuse("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await with_(player, { all: true }));
    for (const extra of [{ sessionId: rows[0]!.sessionId }, { txHash }])
      await api.refuse("rewards.snapshot", "VALIDATION_FAILED", await with_(player, { all: true, ...extra }));
  });

  it("take at most sixteen at once, and the rest with the next batch", async () => {
    const player = await makeAgent(suite);
    const rows = [];
    for (let count = 0; count < 17; count += 1) rows.push(await plant(player));
    const first = await snapshot(player, { all: true });
    expect(first.body.sessions).to.have.length(16);
    await sendCall(player, first.body.call);
    const second = await snapshot(player, { all: true });
    expect(second.body.sessions).to.have.length(1);
    await sendCall(player, second.body.call);
    const total = rows.reduce((sum, { score }) => sum + score, 0);
    expect(await chainFacts(suite).scorebank(player.address)).to.equal(BigInt(total));
  });

  it("withhold a score that its replay does not bear out", async () => {
    const player = await makeAgent(suite);
    const lie = await plant(player, { claimedScore: 1_000_000 });
    const { body } = await api.refuse("rewards.snapshot", "REPLAY_MISMATCH", await with_(player, {}));
    expect(body.sessionId).to.equal(lie.sessionId);
    const { sessionId } = lie;
    await api.refuse("rewards.snapshot", "REPLAY_MISMATCH", await with_(player, { sessionId }));
    const state = await api.succeed("rewards.startSession", await with_(player, { sessionId }));
    expect(state.body).to.deep.include({ eligible: false, reasons: ["REPLAY_MISMATCH"] });
    // It is out of the way of honest scores.
    const honest = await plant(player);
    expect((await snapshot(player, { all: true })).body.sessions).to.have.length(1);
    expect((await snapshot(player)).body.sessionId).to.equal(honest.sessionId);
  });

  it("are for ended agent sessions of the caller with points", async () => {
    const [player, other] = [await makeAgent(suite), await makeAgent(suite)];
    await api.refuse("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await with_(player, {}));
    const practice = await plant(player, { source: "browser_ws" });
    const zero = await plant(player, { minScore: 0 });
    const foreign = await plant(other);
    const started = await api.succeed("rewards.startSession", await with_(player, { gameSlug: "flappybots" }));
    const active = started.body.sessionId;
    for (const [sessionId, code] of [
      [practice.sessionId, "SOURCE_NOT_ELIGIBLE"],
      [zero.sessionId, "NOTHING_TO_SNAPSHOT"],
      [foreign.sessionId, "SESSION_NOT_FOUND"],
      [UNKNOWN_ID, "SESSION_NOT_FOUND"],
      [active, "SESSION_NOT_ENDED"],
    ] as const)
      await api.refuse("rewards.snapshot", code, await with_(player, { sessionId }));
    for (const [sessionId, reasons] of [
      [practice.sessionId, ["SOURCE_NOT_ELIGIBLE"]],
      [zero.sessionId, ["NOTHING_TO_SNAPSHOT"]],
      [active, ["SESSION_NOT_ENDED"]],
    ] as const) {
      const { body } = await api.succeed("rewards.startSession", await with_(player, { sessionId }));
      expect(body).to.deep.include({ eligible: false, reasons });
    }
    await api.refuse("rewards.snapshot", "GAME_NOT_FOUND", await with_(player, { gameSlug: "tetris" }));
    await api.refuse("rewards.snapshot", "VALIDATION_FAILED", await with_(player, { txHash: UNKNOWN_TX }));
  });

  it("are given up for good by forfeitPending", async () => {
    const player = await makeAgent(suite);
    const rows = [await plant(player), await plant(player, { minScore: 10 })];
    const start = (body: object) => with_(player, { gameSlug: "shellrunners", ...body });
    const refused = await api.refuse("rewards.startSession", "SNAPSHOT_REQUIRED", await start({}));
    expect(refused.body).to.include({ sessionId: rows[0]!.sessionId, gameSessionId: rows[0]!.sessionId });
    await api.succeed("rewards.startSession", await start({ forfeitPending: true }));
    for (const { sessionId } of rows)
      await api.refuse("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await with_(player, { sessionId }));
    expect((await scorebank(player)).pending).to.deep.equal([]);
  });

  it("begin with a session that passes every gate", async () => {
    const player = await makeAgent(suite);
    const body = { gameSlug: "shellrunners" };
    const headers = { "Idempotency-Key": "begin" };
    const first = await api.succeed("rewards.startSession", { ...(await with_(player, body)), headers });
    const again = await api.succeed("rewards.startSession", { ...(await with_(player, body)), headers });
    expect(again.body.sessionId).to.equal(first.body.sessionId);
    expect(again.body.playToken).to.not.equal(first.body.playToken);
    const active = await api.refuse("rewards.startSession", "SESSION_ACTIVE", await with_(player, body));
    expect(active.body.sessionId).to.equal(first.body.sessionId);
    await player.client.sessions.end({ slug: "shellrunners", sessionId: first.body.sessionId });
    await api.refuse("rewards.startSession", "SESSION_ENDED", { ...(await with_(player, body)), headers });
    const reached = await plant(player, { minScore: 220 });
    await sendCall(player, (await snapshot(player)).body.call);
    const gate = await api.refuse("rewards.startSession", "NFT_MINT_REQUIRED", await with_(player, body));
    expect(gate.body).to.include({ sessionId: reached.sessionId, score: reached.score, tier: 1, action: "mint" });
    await api.refuse("rewards.startSession", "GAME_NOT_FOUND", await with_(player, { gameSlug: "tetris" }));
    await api.refuse("rewards.startSession", "SESSION_NOT_FOUND", await with_(player, { sessionId: UNKNOWN_ID }));
    await api.refuse("rewards.startSession", "VALIDATION_FAILED", await with_(player, {}));
  });

  it("need an identity, and the token's own wallet", async () => {
    const stranger = await makePlayer(suite);
    await api.refuse("rewards.startSession", "IDENTITY_REQUIRED", await with_(stranger, { gameSlug: "flappybots" }));
    await api.refuse("rewards.snapshot", "IDENTITY_REQUIRED", await with_(stranger, {}));
    const other = suite.accounts[0]!.address;
    await api.refuse("rewards.scorebank", "FORBIDDEN", await with_(stranger, { walletAddress: other }));
    const own = await api.succeed("rewards.scorebank", await with_(stranger, { walletAddress: stranger.address }));
    expect(own.body).to.deep.include({ score: 0, snapshots: 0, lastSnapshotAt: null, pending: [], byGame: {} });
  });

  describe("with the chain away", () => {
    it("cannot be prepared", async () => {
      const player = await makeAgent(suite);
      await plant(player, { slug: "flappybots", minScore: 10 });
      await api.succeed("rewards.snapshot", await with_(player, {}));
      await cutChain(suite);
      await api.refuse("rewards.snapshot", "CHAIN_UNAVAILABLE", await with_(player, {}));
      await api.refuse("rewards.scorebank", "CHAIN_UNAVAILABLE", await with_(player, {}));
      await api.refuse("rewards.startSession", "CHAIN_UNAVAILABLE", await with_(player, { gameSlug: "shellrunners" }));
    });

    it("have shown every code of their routes", () => api.expectComplete(ROUTES));
  });
});
