import { expect } from "chai";
import { recoverTypedDataAddress } from "viem";
import { developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import { addEndedSession, type EndedSessionOptions } from "../../../testing/ended-session.ts";
import { createAgent, createPlayer, type Player } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "../support/cut-chain.ts";
import { createContractReader, increaseChainTime, sendCall, sendWithFixedGas } from "../support/on-chain.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const ROUTES = ["rewards.startSession", "rewards.snapshot", "rewards.scorebank"];
const UNKNOWN_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";
const UNKNOWN_TX = `0x${"ab".repeat(32)}` as const;

describe("snapshots", () => {
  const api = createRouteTester(() => stack);
  // The scorebank needs the chain only until the first block is indexed: test/flows/node-away.slow.ts.
  const stack = useTestStack({}, closeWithoutChain);
  api.checkCodesAfterAll(ROUTES, ["rewards.snapshot: SPONSORSHIP_EXHAUSTED", "rewards.scorebank: CHAIN_UNAVAILABLE"]);

  const addSession = (player: Player, options: Partial<EndedSessionOptions> = {}) =>
    addEndedSession(stack, { wallet: player.address, ...options });
  const withToken = async (player: Player, body: object) => ({ token: await player.getAccessToken(), body });
  const snapshot = async (player: Player, body: object = {}) =>
    api.expectSuccess("rewards.snapshot", await withToken(player, body));
  const scorebank = async (player: Player) =>
    (await api.expectSuccess("rewards.scorebank", await withToken(player, {}))).body;

  it("a snapshot is signed by the score key, with the call ready to send", async () => {
    const player = await createAgent(stack);
    const row = await addSession(player);
    const { body } = await snapshot(player, { sessionId: row.sessionId });
    const { chainId, rewards } = stack.deployment;
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
    // Requested again before it is on chain: the same facts.
    const again = await snapshot(player);
    for (const field of ["sessionId", "scoreDelta", "gameSessionHash", "mode"])
      expect(again.body[field], field).to.equal(body[field]);
  });

  it("a second snapshot of the same session is rejected by the service and by the contract", async () => {
    const player = await createAgent(stack);
    const facts = createContractReader(stack);
    const row = await addSession(player);
    const { sessionId } = row;
    const { body: prepared } = await snapshot(player, { sessionId });
    const { body: repeated } = await snapshot(player, { sessionId });
    await api.expectError(
      "rewards.snapshot",
      "TX_NOT_FOUND",
      await withToken(player, { sessionId, txHash: UNKNOWN_TX }),
    );

    const txHash = await sendCall(player, prepared.call);
    const recorded = await snapshot(player, { sessionId, txHash });
    expect(recorded.body).to.include({ mode: "recorded", txHash, scoreDelta: row.score, finality: "included" });
    expect((await snapshot(player, { sessionId, txHash })).body.mode).to.equal("recorded");
    expect((await snapshot(player, { sessionId })).body).to.include({ mode: "already_done", txHash });
    await api.expectError("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await withToken(player, {}));

    for (const { call } of [prepared, repeated]) {
      const failed = await sendWithFixedGas(stack, stack.accounts[1]!.privateKey, call);
      const { body } = await api.expectError(
        "rewards.snapshot",
        "TX_FAILED",
        await withToken(player, { sessionId, txHash: failed }),
      );
      expect(body.txHash).to.equal(failed);
    }
    expect(await facts.getScorebank(player.address)).to.equal(BigInt(row.score));
    const bank = await scorebank(player);
    expect(bank).to.deep.include({ score: row.score, snapshots: 1, pending: [], byGame: { shellrunners: row.score } });
    expect(Date.parse(bank.lastSnapshotAt)).to.be.greaterThan(0);
  });

  it("the service sees a snapshot on chain from any sender", async () => {
    const player = await createAgent(stack);
    const row = await addSession(player);
    const { body } = await snapshot(player);
    await sendWithFixedGas(stack, stack.accounts[2]!.privateKey, body.call);
    expect((await scorebank(player)).score).to.equal(row.score);
    const state = await api.expectSuccess(
      "rewards.startSession",
      await withToken(player, { sessionId: row.sessionId }),
    );
    expect(state.body).to.deep.include({ eligible: true, reasons: [] });
    expect(state.body.snapshot).to.include({ state: "included", gameSessionHash: row.gameSessionHash });
  });

  it("a snapshot is not confirmed by another transaction", async () => {
    const player = await createAgent(stack);
    const [first, second] = [await addSession(player), await addSession(player, { minScore: 10 })];
    const txHash = await sendCall(player, (await snapshot(player, { sessionId: first.sessionId })).body.call);
    const { body } = await api.expectError(
      "rewards.snapshot",
      "TX_MISMATCH",
      await withToken(player, { sessionId: second.sessionId, txHash }),
    );
    expect(body.txHash).to.equal(txHash);
  });

  it("a score that its replay does not confirm is withheld", async () => {
    const player = await createAgent(stack);
    const forgedSession = await addSession(player, { claimedScore: 1_000_000 });
    const { body } = await api.expectError("rewards.snapshot", "REPLAY_MISMATCH", await withToken(player, {}));
    expect(body.sessionId).to.equal(forgedSession.sessionId);
    const { sessionId } = forgedSession;
    await api.expectError("rewards.snapshot", "REPLAY_MISMATCH", await withToken(player, { sessionId }));
    const state = await api.expectSuccess("rewards.startSession", await withToken(player, { sessionId }));
    expect(state.body).to.deep.include({ eligible: false, reasons: ["REPLAY_MISMATCH"] });
    // It does not block honest scores.
    const validSession = await addSession(player);
    expect((await snapshot(player, { all: true })).body.sessions).to.have.length(1);
    expect((await snapshot(player)).body.sessionId).to.equal(validSession.sessionId);
  });

  it("a snapshot needs an ended agent session of the caller with points", async () => {
    const [player, other] = [await createAgent(stack), await createAgent(stack)];
    await api.expectError("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await withToken(player, {}));
    const practice = await addSession(player, { source: "browser_ws" });
    const zero = await addSession(player, { minScore: 0 });
    const foreign = await addSession(other);
    const started = await api.expectSuccess(
      "rewards.startSession",
      await withToken(player, { gameSlug: "flappybots" }),
    );
    const active = started.body.sessionId;
    for (const [sessionId, code] of [
      [practice.sessionId, "SOURCE_NOT_ELIGIBLE"],
      [zero.sessionId, "NOTHING_TO_SNAPSHOT"],
      [foreign.sessionId, "SESSION_NOT_FOUND"],
      [UNKNOWN_ID, "SESSION_NOT_FOUND"],
      [active, "SESSION_NOT_ENDED"],
    ] as const)
      await api.expectError("rewards.snapshot", code, await withToken(player, { sessionId }));
    for (const [sessionId, reasons] of [
      [practice.sessionId, ["SOURCE_NOT_ELIGIBLE"]],
      [zero.sessionId, ["NOTHING_TO_SNAPSHOT"]],
      [active, ["SESSION_NOT_ENDED"]],
    ] as const) {
      const { body } = await api.expectSuccess("rewards.startSession", await withToken(player, { sessionId }));
      expect(body).to.deep.include({ eligible: false, reasons });
    }
    await api.expectError("rewards.snapshot", "GAME_NOT_FOUND", await withToken(player, { gameSlug: "tetris" }));
    await api.expectError("rewards.snapshot", "VALIDATION_FAILED", await withToken(player, { txHash: UNKNOWN_TX }));
  });

  it("forfeitPending gives up a score permanently", async () => {
    const player = await createAgent(stack);
    const rows = [await addSession(player), await addSession(player, { minScore: 10 })];
    const start = (body: object) => withToken(player, { gameSlug: "shellrunners", ...body });
    const rejected = await api.expectError("rewards.startSession", "SNAPSHOT_REQUIRED", await start({}));
    expect(rejected.body).to.include({ sessionId: rows[0]!.sessionId, gameSessionId: rows[0]!.sessionId });
    await api.expectSuccess("rewards.startSession", await start({ forfeitPending: true }));
    for (const { sessionId } of rows)
      await api.expectError("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await withToken(player, { sessionId }));
    expect((await scorebank(player)).pending).to.deep.equal([]);
  });

  it("forfeitPending does not give up a score while a signature for it is valid", async () => {
    const player = await createAgent(stack);
    const { sessionId, score } = await addSession(player);
    const { body: signed } = await snapshot(player, { sessionId });
    const start = { gameSlug: "shellrunners", forfeitPending: true };
    const early = await api.expectError("rewards.startSession", "SNAPSHOT_REQUIRED", await withToken(player, start));
    const signedUntil = new Date(Number(signed.deadline) * 1000).toISOString();
    expect(early.body).to.include({ sessionId, score, signedUntil });
    expect(early.body.error).to.include(signedUntil);
    await increaseChainTime(stack, Number(signed.deadline) - Math.floor(Date.now() / 1000) + 1);
    await api.expectSuccess("rewards.startSession", await withToken(player, start));
    await sendWithFixedGas(stack, player.privateKey, signed.call);
    expect(await createContractReader(stack).getScorebank(player.address)).to.equal(0n);
  });

  it("start-session opens a session that passes every gate", async () => {
    const player = await createAgent(stack);
    const body = { gameSlug: "shellrunners" };
    const headers = { "Idempotency-Key": "begin" };
    const first = await api.expectSuccess("rewards.startSession", { ...(await withToken(player, body)), headers });
    const again = await api.expectSuccess("rewards.startSession", { ...(await withToken(player, body)), headers });
    expect(again.body.sessionId).to.equal(first.body.sessionId);
    expect(again.body.playToken).to.not.equal(first.body.playToken);
    const active = await api.expectError("rewards.startSession", "SESSION_ACTIVE", await withToken(player, body));
    expect(active.body.sessionId).to.equal(first.body.sessionId);
    await player.client.sessions.end({ slug: "shellrunners", sessionId: first.body.sessionId });
    await api.expectError("rewards.startSession", "SESSION_ENDED", { ...(await withToken(player, body)), headers });
    const reached = await addSession(player, { minScore: 220 });
    await sendCall(player, (await snapshot(player)).body.call);
    const mintRequired = await api.expectError(
      "rewards.startSession",
      "NFT_MINT_REQUIRED",
      await withToken(player, body),
    );
    expect(mintRequired.body).to.include({
      sessionId: reached.sessionId,
      score: reached.score,
      tier: 1,
      action: "mint",
    });
    await api.expectError("rewards.startSession", "GAME_NOT_FOUND", await withToken(player, { gameSlug: "tetris" }));
    await api.expectError(
      "rewards.startSession",
      "SESSION_NOT_FOUND",
      await withToken(player, { sessionId: UNKNOWN_ID }),
    );
    await api.expectError("rewards.startSession", "VALIDATION_FAILED", await withToken(player, {}));
  });

  it("the rewards routes need an identity, and the token's wallet", async () => {
    const unregisteredPlayer = await createPlayer(stack);
    await api.expectError(
      "rewards.startSession",
      "IDENTITY_REQUIRED",
      await withToken(unregisteredPlayer, { gameSlug: "flappybots" }),
    );
    await api.expectError("rewards.snapshot", "IDENTITY_REQUIRED", await withToken(unregisteredPlayer, {}));
    const other = stack.accounts[0]!.address;
    await api.expectError(
      "rewards.scorebank",
      "FORBIDDEN",
      await withToken(unregisteredPlayer, { walletAddress: other }),
    );
    const own = await api.expectSuccess(
      "rewards.scorebank",
      await withToken(unregisteredPlayer, { walletAddress: unregisteredPlayer.address }),
    );
    expect(own.body).to.deep.include({ score: 0, snapshots: 0, lastSnapshotAt: null, pending: [], byGame: {} });
  });

  describe("while the chain is unavailable", () => {
    it("a snapshot cannot be prepared without the chain", async () => {
      const player = await createAgent(stack);
      await addSession(player, { slug: "flappybots", minScore: 10 });
      await api.expectSuccess("rewards.snapshot", await withToken(player, {}));
      await stopChain(stack);
      await api.expectError("rewards.snapshot", "CHAIN_UNAVAILABLE", await withToken(player, {}));
      // The store has the scorebank as of the block in the response.
      expect((await scorebank(player)).pending).to.have.length(1);
      await api.expectSuccess("rewards.startSession", await withToken(player, { gameSlug: "shellrunners" }));
    });
  });
});
