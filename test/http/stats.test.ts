import { expect } from "chai";
import { type Abi, createPublicClient, http, parseAbi, parseAbiItem } from "viem";
import { hardhat } from "viem/chains";
import { snapshotScore } from "../../client/index.ts";
import { makeAgent, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "./support/cut-chain.ts";
import { passSeconds } from "./support/on-chain.ts";
import { plantSession, withStore } from "./support/plant-session.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const ROUTES = ["leaderboard", "summary", "tokenomics"].map((name) => `stats.${name}`);
const COOLDOWN_SECONDS = 6;
const DAY_SECONDS = 86_400;

describe("leaderboard, stats and tokenomics", () => {
  let suite: Suite;
  let alice: Player;
  let bob: Player;
  const played: { wallet: string; slug: string; score: number; tick: number; tickHz: number }[] = [];
  const api = watchRoutes(() => suite);

  /** A session that really happened, with its score derived again. */
  async function play(player: Player, slug: string, minScore: number) {
    const row = await plantSession(suite, { wallet: player.address, slug, minScore });
    await withStore(suite, (store) => store.sessions.setVerification(row.sessionId, "verified"));
    played.push({ wallet: player.address, slug, score: row.score, tick: row.tick, tickHz: row.tickHz });
    return row;
  }

  before(async () => {
    suite = await startSuite();
    alice = await makeAgent(suite, "Alice");
    bob = await makeAgent(suite, "Bob");
    await play(alice, "shellrunners", 30);
    await play(alice, "shellrunners", 60);
    await play(bob, "shellrunners", 60);
    await play(bob, "flappybots", 20);
    await play(alice, "flappybots", 0);
    // None of these counts.
    await plantSession(suite, { wallet: bob.address, minScore: 200 });
    await plantSession(suite, { wallet: bob.address, minScore: 200, source: "browser_ws" });
    const lie = await plantSession(suite, { wallet: bob.address, minScore: 50, claimedScore: 9999 });
    await withStore(suite, (store) => store.sessions.setVerification(lie.sessionId, "withheld"));
  });
  after(() => endWithoutChain(suite));

  const board = async (query = "") => (await api.succeed("stats.leaderboard", { query })).body;
  const summary = async (query = "") => (await api.succeed("stats.summary", { query })).body;
  const wallets = (answer: { items: { walletAddress: string }[] }) => answer.items.map((it) => it.walletAddress);

  it("ranks wallets by their best verified session, the earlier one first among equals", async () => {
    const { items, entries, total, page, limit } = await board("?game=shellrunners");
    expect(entries).to.deep.equal(items);
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

  it("sorts, hides zeros and pages", async () => {
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

  it("shows the name of the profile", async () => {
    expect((await board()).items[0].agentName).to.equal(null);
    await alice.client.identity.profileUpsert({ agentName: "Alice the Crab" });
    expect((await board()).items[0].agentName).to.equal("Alice the Crab");
  });

  it("refuses unknown games and values", async () => {
    await api.refuse("stats.leaderboard", "GAME_NOT_FOUND", { query: "?game=tetris" });
    await api.refuse("stats.summary", "GAME_NOT_FOUND", { query: "?game=tetris" });
    for (const query of ["?period=year", "?sortBy=luck", "?hideZero=maybe", "?limit=0", "?limit=101", "?page=0"]) {
      await api.refuse("stats.leaderboard", "VALIDATION_FAILED", { query });
    }
    await api.refuse("stats.summary", "UNKNOWN_FIELD", { query: "?slug=shellrunners" });
  });

  it("sums up what was played, as a recount of the rows does", async () => {
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

  it("counts the agents that play right now, and no practice", async () => {
    const carol = await makeAgent(suite, "Carol");
    const { sessionId } = await carol.client.sessions.start({ slug: "flappybots", source: "agent_api" });
    await suite.request("POST", "/api/games/flappybots/sessions/start", { body: { source: "browser_ws" } });
    expect(await summary()).to.include({ liveSessions: 1 });
    expect(await summary("?game=flappybots")).to.include({ liveSessions: 1 });
    expect(await summary("?game=shellrunners")).to.include({ liveSessions: 0 });
    await carol.client.sessions.end({ slug: "flappybots", sessionId });
    expect(await summary()).to.include({ liveSessions: 0 });
  });

  describe("tokenomics", () => {
    /** The slow way: the events of the whole chain, and the contracts one by one. */
    async function recount() {
      const client = createPublicClient({ chain: hardhat, transport: http(suite.chain.rpcUrl), cacheTime: 0 });
      const { rewards, token } = suite.deployment;
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
        event: parseAbiItem("event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount)"),
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
    const tokenomics = async () => (await api.succeed("stats.tokenomics")).body;

    async function bankAndPay(player: Player): Promise<void> {
      const { sessionId } = await plantSession(suite, { wallet: player.address, minScore: 10 });
      await snapshotScore({ client: player.client, sessionId });
      await passSeconds(suite, COOLDOWN_SECONDS);
      expect((await player.client.rewards.payout({})).status).to.equal("included");
    }

    it("equal a recount of the chain's events, before and after payouts", async () => {
      const before = await tokenomics();
      expect(before).to.deep.include(await recount());
      expect(before).to.include({ payouts: 0, paidTotal: "0" });
      expect(before.token).to.deep.equal({
        address: suite.deployment.token,
        name: "Arcade Token",
        symbol: "ARCD",
        decimals: 18,
      });
      await bankAndPay(alice);
      await bankAndPay(bob);
      const after = await tokenomics();
      expect(after).to.deep.include(await recount());
      expect(after).to.include({ payouts: 2, snapshots: 2, paidToday: after.paidTotal });
      expect(after.asOf.block).to.be.greaterThan(before.asOf.block);
    });

    it("begin a new day at midnight UTC of the chain", async () => {
      const { paidTotal } = await tokenomics();
      await passSeconds(suite, DAY_SECONDS);
      expect(await tokenomics()).to.deep.include({ ...(await recount()), paidToday: "0", paidTotal });
      await bankAndPay(alice);
      const next = await tokenomics();
      expect(next).to.deep.include(await recount());
      expect(next.paidToday).to.not.be.oneOf(["0", next.paidTotal]);
    });

    it("say when the chain is away, while the boards go on", async () => {
      await cutChain(suite);
      await api.refuse("stats.tokenomics", "CHAIN_UNAVAILABLE");
      expect((await board()).items).to.have.length.greaterThan(1);
      await summary();
      api.expectComplete(ROUTES);
    });
  });
});
