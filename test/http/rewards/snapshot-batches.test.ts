import { expect } from "chai";
import { snapshotScores } from "../../../client/index.ts";
import { addEndedSession, type EndedSessionOptions } from "../../../testing/ended-session.ts";
import { createAgent, type Player } from "../../../testing/player.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { cancelSessionOnChain, createContractReader, movePoints, sendCall, setMaxScore } from "../support/on-chain.ts";
import { createRouteTester } from "../support/watch-routes.ts";

/** The contents of a wallet's snapshot: which sessions, how many, and how many of their points. */
describe("batches of snapshots", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack();

  const addSession = (player: Player, options: Partial<EndedSessionOptions> = {}) =>
    addEndedSession(stack, { wallet: player.address, ...options });
  const withToken = async (player: Player, body: object) => ({ token: await player.getAccessToken(), body });
  const snapshot = async (player: Player, body: object = {}) =>
    api.expectSuccess("rewards.snapshot", await withToken(player, body));
  const scorebank = async (player: Player) =>
    (await api.expectSuccess("rewards.scorebank", await withToken(player, {}))).body;

  it("snapshots are prepared oldest first, by game, and many in one batch", async () => {
    const player = await createAgent(stack);
    const rows = [
      await addSession(player),
      await addSession(player, { slug: "flappybots", minScore: 10 }),
      await addSession(player, { minScore: 30 }),
    ];
    expect((await snapshot(player)).body.sessionId).to.equal(rows[0]!.sessionId);
    const flappy = await snapshot(player, { gameSlug: "flappy" });
    expect(flappy.body).to.include({ sessionId: rows[1]!.sessionId, gameSlug: "flappybots" });
    await api.expectError(
      "rewards.snapshot",
      "NOTHING_TO_SNAPSHOT",
      await withToken(player, { sessionId: rows[0]!.sessionId, gameSlug: "flappybots" }),
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
    expect(await createContractReader(stack).getScorebank(player.address)).to.equal(BigInt(total));
    expect(await scorebank(player)).to.deep.include({ score: total, snapshots: 3, pending: [] });
    for (const { sessionId } of rows) {
      expect((await snapshot(player, { sessionId })).body.mode).to.equal("already_done");
      expect((await snapshot(player, { sessionId, txHash })).body.mode).to.equal("recorded");
    }
    await api.expectError("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await withToken(player, { all: true }));
    for (const extra of [{ sessionId: rows[0]!.sessionId }, { txHash }])
      await api.expectError("rewards.snapshot", "VALIDATION_FAILED", await withToken(player, { all: true, ...extra }));
  });

  it("a batch holds at most sixteen sessions, and the next batch the rest", async () => {
    const player = await createAgent(stack);
    const rows = [];
    for (let count = 0; count < 17; count += 1) rows.push(await addSession(player));
    const first = await snapshot(player, { all: true });
    expect(first.body.sessions).to.have.length(16);
    expect(first.body.more).to.equal(true);
    await sendCall(player, first.body.call);
    const second = await snapshot(player, { all: true });
    expect(second.body.sessions).to.have.length(1);
    expect(second.body.more).to.equal(false);
    await sendCall(player, second.body.call);
    const total = rows.reduce((sum, { score }) => sum + score, 0);
    expect(await createContractReader(stack).getScorebank(player.address)).to.equal(BigInt(total));
  });

  it("the client continues until no score is left", async () => {
    const player = await createAgent(stack);
    const rows = [];
    for (let count = 0; count < 17; count += 1) rows.push(await addSession(player));
    const { sessions, scoreDelta, txHashes } = await snapshotScores({ client: player.client });
    expect(sessions.map(({ sessionId }) => sessionId)).to.deep.equal(rows.map(({ sessionId }) => sessionId));
    expect(txHashes).to.have.length(2);
    expect(await scorebank(player)).to.deep.include({ score: scoreDelta, snapshots: 17, pending: [] });
    const again = await snapshotScores({ client: player.client });
    expect(again).to.deep.equal({ sessions: [], scoreDelta: 0, txHashes: [] });
  });

  it("scores above the limit per session are credited up to it, alone and in a batch", async () => {
    const player = await createAgent(stack);
    const rows = [];
    for (let count = 0; count < 3; count += 1) rows.push(await addSession(player, { minScore: 50 }));
    const [first, second, third] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]];
    const bound = Math.min(second.score, third.score) - 1;
    await setMaxScore(stack, BigInt(bound));
    const single = (await snapshot(player, { sessionId: first.sessionId })).body;
    expect(single.scoreDelta).to.equal(first.score);
    await sendCall(player, single.call);
    await sendCall(player, (await snapshot(player, { all: true })).body.call);
    await setMaxScore(stack, 10_000_000n);
    const credited = Math.min(first.score, bound) + 2 * bound;
    // The gate is open: nothing is left to sign, and the store agrees with the contract.
    expect(await scorebank(player)).to.deep.include({ score: credited, pending: [] });
    expect(await createContractReader(stack).getScorebank(player.address)).to.equal(BigInt(credited));
    expect(await stack.request("POST", "/api/rewards/readiness", await withToken(player, {}))).to.deep.nested.include({
      "body.scorebank": credited,
    });
  });

  it("points that the guardian voids leave the scorebank, and return when the admin restores them", async () => {
    const player = await createAgent(stack);
    const { score } = await addSession(player, { minScore: 50 });
    await sendCall(player, (await snapshot(player)).body.call);
    for (const [functionName, points, left] of [
      ["voidPoints", 20, score - 20],
      ["restorePoints", 5, score - 15],
      ["voidPoints", 10_000_000, 0],
      ["restorePoints", 10_000_000, score],
    ] as const) {
      await movePoints(stack, functionName, player.address, BigInt(points));
      expect((await scorebank(player)).score).to.equal(left);
    }
  });

  it("a batch skips scores that were cancelled on chain, even more than fit into it", async () => {
    const player = await createAgent(stack);
    for (let count = 0; count < 17; count += 1) {
      const { gameSessionHash } = await addSession(player);
      await cancelSessionOnChain(stack, player.address, gameSessionHash!);
    }
    await api.expectError("rewards.snapshot", "NOTHING_TO_SNAPSHOT", await withToken(player, { all: true }));
    const { sessionId } = await addSession(player);
    const { body } = await snapshot(player, { all: true });
    expect(body.sessions.map((entry: { sessionId: string }) => entry.sessionId)).to.deep.equal([sessionId]);
    expect(body.more).to.equal(false);
  });
});
