import { expect } from "chai";
import { type Abi, createPublicClient, http, parseAbi, parseAbiItem } from "viem";
import { hardhat } from "viem/chains";
import { snapshotScore } from "../../client/index.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "./support/cut-chain.ts";
import { increaseChainTime } from "./support/on-chain.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const ROUTES = ["leaderboard", "search", "summary", "tokenomics"].map((name) => `stats.${name}`);
const COOLDOWN_SECONDS = 6;
const DAY_SECONDS = 86_400;

describe("leaderboard, stats and tokenomics", () => {
  let bob: Player;
  const played: { wallet: string; slug: string; score: number; tick: number; tickHz: number }[] = [];
  const api = createRouteTester(() => stack);

  /** A real session, with its score verified. */
  async function play(player: Player, slug: string, minScore: number) {
    const row = await addEndedSession(stack, { wallet: player.address, slug, minScore });
    await withStore(stack, (store) => store.sessions.setVerification(row.sessionId, "verified"));
    played.push({ wallet: player.address, slug, score: row.score, tick: row.tick, tickHz: row.tickHz });
    return row;
  }

  const stack = useTestStack({}, closeWithoutChain);
  const alice = useShared(() => createAgent(stack, "Alice"));
  before(async () => {
    bob = await createAgent(stack, "Bob");
    await play(alice, "shellrunners", 30);
    await play(alice, "shellrunners", 60);
    await play(bob, "shellrunners", 60);
    await play(bob, "flappybots", 20);
    await play(alice, "flappybots", 0);
    // None of these count.
    await addEndedSession(stack, { wallet: bob.address, minScore: 200 });
    await addEndedSession(stack, { wallet: bob.address, minScore: 200, source: "browser_ws" });
    const forgedRow = await addEndedSession(stack, { wallet: bob.address, minScore: 50, claimedScore: 9999 });
    await withStore(stack, (store) => store.sessions.setVerification(forgedRow.sessionId, "withheld"));
  });
  api.checkCodesAfterAll(ROUTES, ["stats.tokenomics: CHAIN_UNAVAILABLE"]);

  const board = async (query = "") => (await api.expectSuccess("stats.leaderboard", { query })).body;
  const summary = async (query = "") => (await api.expectSuccess("stats.summary", { query })).body;
  const wallets = (response: { items: { walletAddress: string }[] }) => response.items.map((it) => it.walletAddress);

  it("the leaderboard ranks wallets by their best verified session, earlier ones first in a tie", async () => {
    const { items, total, page, limit } = await board("?game=shellrunners");
    expect({ total, page, limit }).to.deep.equal({ total: 2, page: 1, limit: 25 });
    const scores = played.filter(({ slug }) => slug === "shellrunners").map(({ score }) => score);
    expect(items).to.have.length(2);
    expect(items[0]).to.deep.include({
      rank: 1,
      walletAddress: alice.address,
      score: scores[1],
      totalScore: scores[0]! + scores[1]!,
      sessions: 2,
    });
    expect(items[1]).to.deep.include({ rank: 2, walletAddress: bob.address, score: scores[2], sessions: 1 });
    expect(scores[1], "a tie").to.equal(scores[2]);
    for (const period of ["day", "week", "month"]) {
      expect((await board(`?game=shellrunners&period=${period}`)).items).to.deep.equal(items);
    }
    expect((await board("?game=flappy-bots")).total).to.equal(2);
  });

  it("the leaderboard sorts, hides zeros and is paged", async () => {
    const sum = (wallet: string) =>
      played.filter((row) => row.wallet === wallet).reduce((total, { score }) => total + score, 0);
    const richest = [alice, bob].sort((a, b) => sum(b.address) - sum(a.address)).map(({ address }) => address);
    expect(wallets(await board("?sortBy=totalScore"))).to.deep.equal(richest);
    expect(wallets(await board("?sortBy=sessions"))).to.deep.equal([alice.address, bob.address]);
    expect(wallets(await board("?sortBy=recent"))).to.deep.equal([alice.address, bob.address]);
    expect(wallets(await board("?game=flappybots&hideZero=false"))).to.deep.equal([bob.address, alice.address]);
    expect(wallets(await board("?game=flappybots&hideZero=true"))).to.deep.equal([bob.address]);
    const second = await board("?limit=1&page=2");
    expect(second).to.deep.include({ total: 2, page: 2, limit: 1 });
    expect(second.items[0].rank).to.equal(2);
    expect((await board("?page=9")).items).to.deep.equal([]);
  });

  it("the leaderboard shows the name of the profile", async () => {
    expect((await board()).items[0].agentName).to.equal(null);
    await alice.client.identity.profileUpsert({ agentName: "Alice the Crab" });
    expect((await board()).items[0].agentName).to.equal("Alice the Crab");
  });

  it("the search finds agents by a part of their name, their number and their wallet, and runs by id and hash", async () => {
    const search = async (q: string) =>
      (await api.expectSuccess("stats.search", { query: `?q=${encodeURIComponent(q)}` })).body;
    await alice.client.identity.profileUpsert({ agentName: "50%_Crab" });
    const found = (await search("%_cRA")).agents;
    expect(wallets({ items: found })).to.deep.equal([alice.address]);
    const { rank, ...entry } = (await board()).items.find(
      (it: { walletAddress: string }) => it.walletAddress === alice.address,
    );
    expect(found[0]).to.deep.equal(entry);
    for (const text of [entry.agentId, alice.address, alice.address.toLowerCase()])
      expect(wallets({ items: (await search(text)).agents }), text).to.include(alice.address);
    // `%` and `_` are literal.
    expect(wallets({ items: (await search("0%_")).agents })).to.deep.equal([alice.address]);
    for (const text of ["_%C", "5%b", alice.address.slice(0, 20)])
      expect((await search(text)).agents, text).to.deep.equal([]);
    const { sessionId, gameSessionHash } = (await board()).items[0];
    for (const text of [sessionId, sessionId.toUpperCase(), gameSessionHash, gameSessionHash.toUpperCase()])
      expect(
        (await search(text)).runs.map((run: { sessionId: string }) => run.sessionId),
        text,
      ).to.deep.equal([sessionId]);
    const practice = await addEndedSession(stack, { wallet: bob.address, source: "browser_ws" });
    expect(await search(practice.sessionId)).to.deep.include({ agents: [], runs: [] });
    for (const query of ["", "?q=", "?q=%00", `?q=${"a".repeat(101)}`])
      await api.expectError("stats.search", "VALIDATION_FAILED", { query });
  });

  it("the leaderboard and the summary reject unknown games and values", async () => {
    await api.expectError("stats.leaderboard", "GAME_NOT_FOUND", { query: "?game=tetris" });
    await api.expectError("stats.summary", "GAME_NOT_FOUND", { query: "?game=tetris" });
    for (const query of ["?period=year", "?sortBy=luck", "?hideZero=maybe", "?limit=0", "?limit=101", "?page=0"]) {
      await api.expectError("stats.leaderboard", "VALIDATION_FAILED", { query });
    }
    await api.expectError("stats.summary", "UNKNOWN_FIELD", { query: "?slug=shellrunners" });
  });

  it("the summary equals a recount of the sessions", async () => {
    for (const game of [null, "shellrunners", "flappybots"]) {
      const rows = played.filter(({ slug }) => game === null || slug === game);
      expect(await summary(game === null ? "" : `?game=${game}`)).to.deep.include({
        game,
        sessions: rows.length,
        players: new Set(rows.map(({ wallet }) => wallet)).size,
        liveSessions: 0,
        spectators: 0,
        highScore: Math.max(...rows.map(({ score }) => score)),
        totalScore: rows.reduce((total, { score }) => total + score, 0),
        playSeconds: Math.floor(
          rows.reduce((total, { tick, tickHz }) => total + Math.floor((tick * 1000) / tickHz), 0) / 1000,
        ),
      });
    }
  });

  it("the summary counts agents that are playing, but not practice", async () => {
    const carol = await createAgent(stack, "Carol");
    const { sessionId } = await carol.client.sessions.start({ slug: "flappybots", source: "agent_api" });
    await stack.request("POST", "/api/games/flappybots/sessions/start", { body: { source: "browser_ws" } });
    expect(await summary()).to.include({ liveSessions: 1 });
    expect(await summary("?game=flappybots")).to.include({ liveSessions: 1 });
    expect(await summary("?game=shellrunners")).to.include({ liveSessions: 0 });
    await carol.client.sessions.end({ slug: "flappybots", sessionId });
    expect(await summary()).to.include({ liveSessions: 0 });
  });

  describe("tokenomics", () => {
    /** Computed the slow way, from all events of the chain and from each contract. */
    async function readFromChain() {
      const client = createPublicClient({ chain: hardhat, transport: http(stack.chain.rpcUrl), cacheTime: 0 });
      const { rewards, token } = stack.deployment;
      const abi = parseAbi([
        "function totalSupply() view returns (uint256)",
        "function balanceOf(address) view returns (uint256)",
        "function caps() view returns (uint256, uint256)",
        "function scoreToTokenRate() view returns (uint256)",
      ]) as Abi;
      const read = (address: `0x${string}`, functionName: string, args: readonly unknown[] = []) =>
        client.readContract({ address, abi, functionName, args });
      const logs = { address: rewards, fromBlock: 0n } as const;
      const payouts = await client.getLogs({
        ...logs,
        event: parseAbiItem(
          "event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount, uint256 scorebank)",
        ),
      });
      const snapshots = await client.getLogs({
        ...logs,
        event: parseAbiItem(
          "event ScoreSnapshot(address indexed wallet, bytes32 indexed gameId, bytes32 indexed gameSessionHash, uint256 score, uint256 scorebank)",
        ),
      });
      const today = (await client.getBlock()).timestamp / BigInt(DAY_SECONDS);
      const sum = (rows: typeof payouts) => rows.reduce((total, { args }) => total + args.amount!, 0n).toString();
      const [dailyCap, weeklyCap] = (await read(rewards, "caps")) as [bigint, bigint];
      return {
        totalSupply: String(await read(token, "totalSupply")),
        float: String(await read(token, "balanceOf", [rewards])),
        paidToday: sum(payouts.filter(({ args }) => args.day === today)),
        paidTotal: sum(payouts),
        dailyCap: String(dailyCap),
        weeklyCap: String(weeklyCap),
        scoreToTokenRate: String(await read(rewards, "scoreToTokenRate")),
        snapshots: snapshots.length,
        payouts: payouts.length,
      };
    }
    /** As of the chain's current head, which the indexer reads within its next polls. */
    const tokenomics = async () => {
      const head = Number(await stack.chain.request("eth_blockNumber", []));
      for (;;) {
        const { body } = await api.expectSuccess("stats.tokenomics");
        if (body.asOf.block >= head) return body;
      }
    };

    async function snapshotAndPay(player: Player): Promise<void> {
      const { sessionId } = await addEndedSession(stack, { wallet: player.address, minScore: 10 });
      await snapshotScore({ client: player.client, sessionId });
      await increaseChainTime(stack, COOLDOWN_SECONDS);
      expect((await player.client.rewards.payout({})).status).to.equal("included");
    }

    it("the tokenomics equal a recount of the chain's events, before and after payouts", async () => {
      const before = await tokenomics();
      expect(before).to.deep.include(await readFromChain());
      expect(before).to.include({ payouts: 0, paidTotal: "0" });
      expect(before.token).to.deep.equal({
        address: stack.deployment.token,
        name: "Arcade Token",
        symbol: "ARCD",
        decimals: 18,
      });
      await snapshotAndPay(alice);
      await snapshotAndPay(bob);
      const after = await tokenomics();
      expect(after).to.deep.include(await readFromChain());
      expect(after).to.include({ payouts: 2, snapshots: 2, paidToday: after.paidTotal });
      expect(after.asOf.block).to.be.greaterThan(before.asOf.block);
    });

    it("the tokenomics start a new day at midnight UTC of the chain", async () => {
      const { paidTotal } = await tokenomics();
      await increaseChainTime(stack, DAY_SECONDS);
      expect(await tokenomics()).to.deep.include({ ...(await readFromChain()), paidToday: "0", paidTotal });
      await snapshotAndPay(alice);
      const next = await tokenomics();
      expect(next).to.deep.include(await readFromChain());
      expect(next.paidToday).to.not.be.oneOf(["0", next.paidTotal]);
    });

    it("the tokenomics and the leaderboard answer while the chain is unavailable", async () => {
      await stopChain(stack);
      await api.expectSuccess("stats.tokenomics");
      expect((await board()).items).to.have.length.greaterThan(1);
      await summary();
    });
  });
});
