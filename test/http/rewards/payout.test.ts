import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { snapshotScore } from "../../../client/index.ts";
import { addEndedSession, withStore } from "../../../testing/ended-session.ts";
import { createAgent, createPlayer, type Player } from "../../../testing/player.ts";
import { createPayoutRow } from "../../adapters/store/rows.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "../support/cut-chain.ts";
import { createContractReader, increaseChainTime, sendCall, setPaused, transferToken } from "../support/on-chain.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const ROUTES = ["readiness", "payout", "payoutStatus", "payoutHistory"].map((name) => `rewards.${name}`);
const COOLDOWN_SECONDS = 6;
const TOKEN = 10n ** 18n;

describe("payouts", () => {
  const api = createRouteTester(() => stack);
  const stack = useTestStack({}, closeWithoutChain);
  api.checkCodesAfterAll(ROUTES, ["rewards.readiness: CHAIN_UNAVAILABLE", "rewards.payoutHistory: CHAIN_UNAVAILABLE"]);

  const withToken = async (player: Player, body: object = {}) => ({ token: await player.getAccessToken(), body });
  const readiness = async (player: Player) =>
    (await api.expectSuccess("rewards.readiness", await withToken(player))).body;
  const payout = async (player: Player, body: object = {}) => api.call("rewards.payout", await withToken(player, body));
  const history = async (player: Player, body: object = {}) =>
    (await api.expectSuccess("rewards.payoutHistory", await withToken(player, body))).body;

  const addSession = (player: Player, slug = "shellrunners") =>
    addEndedSession(stack, { wallet: player.address, slug, minScore: 10 });
  /** Puts the score of a fresh session into the wallet's bank. */
  async function addToScorebank(player: Player, slug?: string): Promise<number> {
    const { sessionId, score } = await addSession(player, slug);
    await snapshotScore({ client: player.client, sessionId });
    return score;
  }

  it("readiness reports why a wallet cannot be paid, and when it can", async () => {
    const player = await createAgent(stack);
    const empty = await readiness(player);
    expect(empty).to.deep.include({ ready: false, scorebank: 0, amount: "0" });
    expect(empty.reasons).to.include("SCOREBANK_EMPTY");
    const score = await addToScorebank(player);
    // Before the payout, since the time of its cooldown is the machine's.
    const next = await addSession(player);
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    expect(await readiness(player)).to.deep.include({
      ready: true,
      reasons: [],
      scorebank: score,
      amount: (BigInt(score) * TOKEN).toString(),
    });
    expect((await payout(player)).body.status).to.equal("included");

    await snapshotScore({ client: player.client, sessionId: next.sessionId });
    const waiting = await readiness(player);
    expect(waiting).to.deep.include({ ready: false, reasons: ["COOLDOWN_ACTIVE"] });
    const rejected = await payout(player);
    expect(rejected.body).to.deep.include({
      code: "PAYOUT_NOT_READY",
      reasons: ["COOLDOWN_ACTIVE"],
      nextEligibleAt: waiting.nextEligibleAt,
    });
    // By the chain's clock, which is ahead of the machine's by a cooldown.
    for (const { eligibleInSeconds } of [waiting, rejected.body])
      expect(eligibleInSeconds).to.be.within(1, COOLDOWN_SECONDS);
    expect(Date.parse(rejected.body.nextEligibleAt)).to.be.greaterThan(Date.parse("2020-01-01"));
    expect((await payout(player, { mode: "self" })).body).to.include({ code: "PAYOUT_NOT_READY" });
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    expect((await payout(player)).status).to.equal(200);
  });

  it("a payout pays the whole scorebank of both games once, and shows each game's share", async () => {
    const player = await createAgent(stack);
    const scores = {
      shellrunners: await addToScorebank(player),
      flappybots: await addToScorebank(player, "flappybots"),
    };
    const total = scores.shellrunners + scores.flappybots;
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    const paid = await payout(player, { gameSlug: "flappy-bots" });
    expect(paid.body).to.include({ status: "included", score: total, amount: (BigInt(total) * TOKEN).toString() });
    expect(await createContractReader(stack).getTokenBalance(player.address)).to.equal(BigInt(total) * TOKEN);
    expect(await createContractReader(stack).getScorebank(player.address)).to.equal(0n);
    const { payoutId, txHash } = paid.body;
    const status = await api.expectSuccess("rewards.payoutStatus", {
      params: { payoutId },
      token: await player.getAccessToken(),
    });
    expect(status.body).to.include({ payoutId, txHash, status: "included" });

    for (const body of [{}, { includeAllGames: true }, { gameSlug: "all" }]) {
      const { items, total: count } = await history(player, body);
      expect(count).to.equal(1);
      expect(items[0]).to.deep.include({ payoutId, txHash, score: total, byGame: scores });
    }
    for (const slug of ["shellrunners", "flappybots"] as const)
      expect((await history(player, { gameSlug: slug })).items[0].score).to.equal(scores[slug]);
    expect((await history(player, { page: 2 })).items).to.deep.equal([]);
    const again = await payout(player);
    expect(again.body).to.include({ code: "PAYOUT_NOT_READY" });
    expect(again.body).to.deep.include({ reasons: ["SCOREBANK_EMPTY"], nextEligibleAt: null });
  });

  it("the same payout is returned under one Idempotency-Key, and while one is open", async () => {
    const player = await createAgent(stack);
    const score = await addToScorebank(player);
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    await stack.chain.request("evm_setAutomine", [false]);
    const headers = { "Idempotency-Key": "pay-me" };
    const first = api.call("rewards.payout", { ...(await withToken(player)), headers });
    const token = await player.getAccessToken();
    let open = await readiness(player);
    while (!open.reasons.includes("PAYOUT_PENDING")) open = await readiness(player);
    expect(open.ready).to.equal(false);
    const second = api.call("rewards.payout", { token, body: {} });
    await api.expectError("rewards.payout", "IDEMPOTENCY_IN_PROGRESS", { token, body: {}, headers });
    await api.expectError("rewards.payout", "IDEMPOTENCY_CONFLICT", {
      token,
      body: { gameSlug: "flappybots" },
      headers,
    });
    await stack.chain.request("evm_setAutomine", [true]);
    await stack.chain.request("evm_mine", []);
    const [one, two] = await Promise.all([first, second]);
    expect(one.body).to.include({ status: "included", score });
    expect(two.body.payoutId).to.equal(one.body.payoutId);
    const repeat = await api.expectSuccess("rewards.payout", { token, body: {}, headers });
    expect(repeat.body.payoutId).to.equal(one.body.payoutId);
    expect((await history(player)).total).to.equal(1);
  });

  it("a wallet can send its payout itself", async () => {
    const player = await createAgent(stack);
    const score = await addToScorebank(player);
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    const { body } = await api.expectSuccess("rewards.payout", await withToken(player, { mode: "self" }));
    expect(body).to.include({ mode: "self", score });
    expect(body.call).to.deep.include({
      functionName: "payoutAtLeast",
      args: [player.address, body.amount],
      to: stack.deployment.rewards,
      value: "0",
    });
    const txHash = await sendCall(player, body.call);
    const [entry] = (await history(player)).items;
    expect(entry).to.include({ txHash, score, payoutId: txHash });
    const { token } = await withToken(player);
    const path = `/api/rewards/payout/${entry.payoutId}`;
    const status = await stack.request("GET", path, { token });
    expect(status.body).to.include({ payoutId: txHash, status: "included", txHash, score, remainingPoints: 0 });
    const otherPlayer = await withToken(await createAgent(stack));
    expect((await stack.request("GET", path, { token: otherPlayer.token })).body.code).to.equal("NOT_FOUND");
  });

  it("a payout reports how final its block is, even if the wallet sent it", async () => {
    const [relayed, self] = [await createAgent(stack), await createAgent(stack)];
    for (const player of [relayed, self]) await addToScorebank(player);
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    const paid = (await payout(relayed)).body;
    expect(paid).to.include({ status: "included", finality: "included" });
    const { call } = (await payout(self, { mode: "self" })).body;
    const txHash = await sendCall(self, call);
    const readFinality = async (player: Player, payoutId: string): Promise<string> => {
      const { token } = await withToken(player);
      return (await api.expectSuccess("rewards.payoutStatus", { params: { payoutId }, token })).body.finality;
    };
    expect(await readFinality(self, txHash)).to.equal("included");
    await stack.chain.request("hardhat_mine", ["0x60"]);
    for (const [player, payoutId] of [[relayed, paid.payoutId] as const, [self, txHash] as const]) {
      let finality = await readFinality(player, payoutId);
      while (finality !== "final") {
        expect(finality).to.be.oneOf(["included", "safe"]);
        finality = await readFinality(player, payoutId);
      }
    }
  });

  it("no payout is made while the contract is paused", async () => {
    const player = await createAgent(stack);
    await addToScorebank(player);
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    await setPaused(stack, true);
    try {
      expect((await readiness(player)).reasons).to.include("PAUSED");
      expect((await payout(player)).body).to.include({ code: "PAYOUT_NOT_READY" });
    } finally {
      await setPaused(stack, false);
    }
    expect((await payout(player)).body).to.include({ status: "included" });
  });

  it("a payout needs the identity at the time of the request", async () => {
    const [player, buyer] = [await createAgent(stack), await createPlayer(stack)];
    await addToScorebank(player);
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    const { agentId } = await player.client.identity.ownershipStatus({ walletAddress: player.address });
    await transferToken(player, stack.deployment.identity, buyer.address, agentId!);
    expect((await payout(player)).body).to.include({ code: "IDENTITY_REQUIRED" });
    expect((await readiness(player)).reasons).to.include("IDENTITY_REQUIRED");
  });

  it("a payout that the contract no longer allows ends as failed", async () => {
    const player = await createAgent(stack);
    const token = await player.getAccessToken();
    const payoutId = randomUUID();
    const row = { payoutId, wallet: player.address, score: 10n, amount: 10n * TOKEN, createdAtMs: Date.now() };
    // As left by a process that was killed before it sent anything, while the wallet paid itself.
    await withStore(stack, (store) => store.payouts.open(createPayoutRow(row)));
    const readStatus = async () =>
      (await api.expectSuccess("rewards.payoutStatus", { params: { payoutId }, token })).body;
    let body = await readStatus();
    while (body.status === "pending") body = await readStatus();
    expect(body).to.include({ payoutId, status: "failed", txHash: null, finality: null });
    expect((await readiness(player)).reasons).to.not.include("PAYOUT_PENDING");
  });

  it("a wallet sees only its own payouts", async () => {
    const player = await createAgent(stack);
    const token = await player.getAccessToken();
    await addToScorebank(player);
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    const paid = await payout(player);
    const otherPlayer = await createPlayer(stack);
    const { payoutId } = paid.body;
    await api.expectError("rewards.payoutStatus", "NOT_FOUND", {
      params: { payoutId },
      token: await otherPlayer.getAccessToken(),
    });
    await api.expectError("rewards.payoutStatus", "NOT_FOUND", { params: { payoutId: "nope" }, token });
    const foreign = { walletAddress: otherPlayer.address };
    await api.expectError("rewards.readiness", "FORBIDDEN", { token, body: foreign });
    for (const name of ["rewards.payout", "rewards.payoutHistory"])
      await api.expectError(name, "GAME_NOT_FOUND", { token, body: { gameSlug: "tetris" } });
    await api.expectError("rewards.payout", "VALIDATION_FAILED", { token, body: { mode: "cash" } });
    await api.expectError("rewards.payoutHistory", "VALIDATION_FAILED", { token, body: { limit: 101 } });
  });

  describe("while the chain is unavailable", () => {
    it("a payout reports the unavailable chain, and stored data can be read", async () => {
      const player = await createAgent(stack);
      const token = await player.getAccessToken();
      await stopChain(stack);
      await api.expectError("rewards.payout", "CHAIN_UNAVAILABLE", { token, body: {} });
      for (const name of ["rewards.readiness", "rewards.payoutHistory"])
        await api.expectSuccess(name, { token, body: {} });
    });
  });
});
