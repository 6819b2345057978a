import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { snapshotScore } from "../../client/index.ts";
import { makeAgent, makePlayer, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { chainFacts, giveAway, passSeconds, sendCall, setPaused } from "./support/on-chain.ts";
import { plantSession, withStore } from "./support/plant-session.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const ROUTES = ["readiness", "payout", "payoutStatus", "payoutHistory"].map((name) => `rewards.${name}`);
const COOLDOWN_SECONDS = 6;
const TOKEN = 10n ** 18n;

describe("payouts", () => {
  let suite: Suite;
  const api = watchRoutes(() => suite);
  before(async () => {
    suite = await startSuite();
  });
  after(() => endWithoutChain(suite));

  const with_ = async (player: Player, body: object = {}) => ({ token: await player.token(), body });
  const readiness = async (player: Player) => (await api.succeed("rewards.readiness", await with_(player))).body;
  const payout = async (player: Player, body: object = {}) => api.call("rewards.payout", await with_(player, body));
  const history = async (player: Player, body: object = {}) =>
    (await api.succeed("rewards.payoutHistory", await with_(player, body))).body;

  /** Puts the score of a fresh session into the wallet's bank. */
  async function bank(player: Player, slug = "shellrunners", minScore = 10): Promise<number> {
    const { sessionId, score } = await plantSession(suite, { wallet: player.address, slug, minScore });
    await snapshotScore({ client: player.client, sessionId });
    return score;
  }

  it("tell why not, and when", async () => {
    const player = await makeAgent(suite);
    const empty = await readiness(player);
    expect(empty).to.deep.include({ ready: false, scorebank: 0, amount: "0" });
    expect(empty.reasons).to.include("SCOREBANK_EMPTY");
    const score = await bank(player);
    await passSeconds(suite, COOLDOWN_SECONDS);
    expect(await readiness(player)).to.deep.include({
      ready: true,
      reasons: [],
      scorebank: score,
      amount: (BigInt(score) * TOKEN).toString(),
    });
    expect((await payout(player)).body.status).to.equal("included");

    await bank(player);
    const waiting = await readiness(player);
    expect(waiting).to.deep.include({ ready: false, reasons: ["COOLDOWN_ACTIVE"] });
    const refused = await payout(player);
    expect(refused.body).to.deep.include({
      code: "PAYOUT_NOT_READY",
      reasons: ["COOLDOWN_ACTIVE"],
      nextEligibleAt: waiting.nextEligibleAt,
    });
    expect(Date.parse(refused.body.nextEligibleAt)).to.be.greaterThan(Date.parse("2020-01-01"));
    expect((await payout(player, { mode: "self" })).body).to.include({ code: "PAYOUT_NOT_READY" });
    await passSeconds(suite, COOLDOWN_SECONDS);
    expect((await payout(player)).status).to.equal(200);
  });

  it("pay the whole bank once, over both games, and show each game's share", async () => {
    const player = await makeAgent(suite);
    const scores = { shellrunners: await bank(player), flappybots: await bank(player, "flappybots") };
    const total = scores.shellrunners + scores.flappybots;
    await passSeconds(suite, COOLDOWN_SECONDS);
    const paid = await payout(player, { gameSlug: "flappy-bots" });
    expect(paid.body).to.include({ status: "included", score: total, amount: (BigInt(total) * TOKEN).toString() });
    expect(await chainFacts(suite).tokensOf(player.address)).to.equal(BigInt(total) * TOKEN);
    expect(await chainFacts(suite).scorebank(player.address)).to.equal(0n);
    const { payoutId, txHash } = paid.body;
    const status = await api.succeed("rewards.payoutStatus", { params: { payoutId }, token: await player.token() });
    expect(status.body).to.include({ payoutId, txHash, status: "included" });

    for (const body of [{}, { includeAllGames: true }, { gameSlug: "all" }]) {
      const { items, entries, total: count } = await history(player, body);
      expect(count).to.equal(1);
      expect(entries).to.deep.equal(items);
      expect(items[0]).to.deep.include({ payoutId, txHash, score: total, byGame: scores });
    }
    for (const slug of ["shellrunners", "flappybots"] as const)
      expect((await history(player, { gameSlug: slug })).items[0].score).to.equal(scores[slug]);
    expect((await history(player, { page: 2 })).items).to.deep.equal([]);
    const again = await payout(player);
    expect(again.body).to.include({ code: "PAYOUT_NOT_READY" });
    expect(again.body).to.deep.include({ reasons: ["SCOREBANK_EMPTY"], nextEligibleAt: null });
  });

  it("answer the same payout under one Idempotency-Key, and to a call while one is open", async () => {
    const player = await makeAgent(suite);
    const score = await bank(player);
    await passSeconds(suite, COOLDOWN_SECONDS);
    await suite.chain.request("evm_setAutomine", [false]);
    const headers = { "Idempotency-Key": "pay-me" };
    const first = api.call("rewards.payout", { ...(await with_(player)), headers });
    const token = await player.token();
    let open = await readiness(player);
    while (!open.reasons.includes("PAYOUT_PENDING")) open = await readiness(player);
    expect(open.ready).to.equal(false);
    const second = api.call("rewards.payout", { token, body: {} });
    await api.refuse("rewards.payout", "IDEMPOTENCY_IN_PROGRESS", { token, body: {}, headers });
    await api.refuse("rewards.payout", "IDEMPOTENCY_CONFLICT", { token, body: { gameSlug: "flappybots" }, headers });
    await suite.chain.request("evm_setAutomine", [true]);
    await suite.chain.request("evm_mine", []);
    const [one, two] = await Promise.all([first, second]);
    expect(one.body).to.include({ status: "included", score });
    expect(two.body.payoutId).to.equal(one.body.payoutId);
    const repeat = await api.succeed("rewards.payout", { token, body: {}, headers });
    expect(repeat.body.payoutId).to.equal(one.body.payoutId);
    expect((await history(player)).total).to.equal(1);
  });

  it("can be sent by the wallet itself", async () => {
    const player = await makeAgent(suite);
    const score = await bank(player);
    await passSeconds(suite, COOLDOWN_SECONDS);
    const { body } = await api.succeed("rewards.payout", await with_(player, { mode: "self" }));
    expect(body).to.include({ mode: "self", score });
    expect(body.call).to.deep.include({ functionName: "payout", to: suite.deployment.rewards, value: "0" });
    const txHash = await sendCall(player, body.call);
    const [entry] = (await history(player)).items;
    expect(entry).to.include({ txHash, score, payoutId: null });
  });

  it("stop while the contract is paused", async () => {
    const player = await makeAgent(suite);
    await bank(player);
    await passSeconds(suite, COOLDOWN_SECONDS);
    await setPaused(suite, true);
    try {
      expect((await readiness(player)).reasons).to.include("PAUSED");
      expect((await payout(player)).body).to.include({ code: "PAYOUT_NOT_READY" });
    } finally {
      await setPaused(suite, false);
    }
    expect((await payout(player)).body).to.include({ status: "included" });
  });

  it("need the identity at that very moment", async () => {
    const [player, buyer] = [await makeAgent(suite), await makePlayer(suite)];
    await bank(player);
    await passSeconds(suite, COOLDOWN_SECONDS);
    const { agentId } = await player.client.identity.ownershipStatus({ walletAddress: player.address });
    await giveAway(player, suite.deployment.identity, buyer.address, agentId!);
    expect((await payout(player)).body).to.include({ code: "IDENTITY_REQUIRED" });
    expect((await readiness(player)).reasons).to.include("IDENTITY_REQUIRED");
  });

  it("that the contract no longer allows end as failed, and are shown so", async () => {
    const player = await makeAgent(suite);
    const token = await player.token();
    const payoutId = randomUUID();
    // As a process leaves it that was killed before it sent anything, while the wallet paid itself.
    await withStore(suite, (store) =>
      store.payouts.open({
        payoutId,
        wallet: player.address,
        slug: null,
        status: "pending",
        transactionId: null,
        txHash: null,
        score: 10n,
        amount: 10n * TOKEN,
        createdAtMs: Date.now(),
      }),
    );
    const { body } = await api.succeed("rewards.payoutStatus", { params: { payoutId }, token });
    expect(body).to.include({ payoutId, status: "failed", txHash: null });
    expect((await readiness(player)).reasons).to.not.include("PAYOUT_PENDING");
  });

  it("are the caller's own", async () => {
    const player = await makeAgent(suite);
    const token = await player.token();
    await bank(player);
    await passSeconds(suite, COOLDOWN_SECONDS);
    const paid = await payout(player);
    const stranger = await makePlayer(suite);
    const { payoutId } = paid.body;
    await api.refuse("rewards.payoutStatus", "NOT_FOUND", { params: { payoutId }, token: await stranger.token() });
    await api.refuse("rewards.payoutStatus", "NOT_FOUND", { params: { payoutId: "nope" }, token });
    const foreign = { walletAddress: stranger.address };
    await api.refuse("rewards.readiness", "FORBIDDEN", { token, body: foreign });
    for (const name of ["rewards.payout", "rewards.payoutHistory"])
      await api.refuse(name, "GAME_NOT_FOUND", { token, body: { gameSlug: "tetris" } });
    await api.refuse("rewards.payout", "VALIDATION_FAILED", { token, body: { mode: "cash" } });
    await api.refuse("rewards.payoutHistory", "VALIDATION_FAILED", { token, body: { limit: 101 } });
  });

  describe("with the chain away", () => {
    it("wait", async () => {
      const player = await makeAgent(suite);
      const token = await player.token();
      await cutChain(suite);
      for (const name of ["rewards.readiness", "rewards.payout", "rewards.payoutHistory"])
        await api.refuse(name, "CHAIN_UNAVAILABLE", { token, body: {} });
    });

    it("have shown every code of their routes", () => api.expectComplete(ROUTES));
  });
});
