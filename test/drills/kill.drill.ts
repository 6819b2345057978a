/**
 * kill -9 of the whole process group at random moments of an agent's life. What may never happen: a session counted
 * twice, a payout made twice, a confirmed score lost or changed, a session left without an end.
 * `DRILL_SEED` and `DRILL_SHARE` repeat or shorten it; `DRILL_SELF_TEST=1` loses the database on the way, which has to
 * turn it red.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { createPublicClient, http, parseAbi, parseAbiItem } from "viem";
import { hardhat } from "viem/chains";
import { findGame } from "../../backend/games/index.ts";
import {
  type ArcadeClient,
  isApiError,
  playSession,
  progressNft,
  registerAgent,
  requestPayout,
  snapshotScore,
} from "../../client/index.ts";
import { type DrillAgent, fund, makeDrillAgent } from "./support/agent.ts";
import {
  createRandom,
  IS_SELF_TEST,
  PATIENT_WITH_CHAIN,
  printFigures,
  SEED,
  scaleCount,
  sleep,
} from "./support/drill.ts";
import { type ArcadeProcess, findFreePort, startProcess } from "./support/process.ts";

const KILLS = scaleCount(100);
const AGENTS = 2;
/** Where the next kill falls is drawn from these; what comes after it in the same step is left to chance. */
const STEPS = ["register", "play", "snapshot", "nft", "payout"];
const STEP_WAIT_MS = 20_000;
const SLUGS = ["shellrunners", "flappybots"];
const TOKEN = 10n ** 18n;
const SNAPSHOT = parseAbiItem(
  "event ScoreSnapshot(address indexed wallet, bytes32 indexed gameId, bytes32 indexed gameSessionHash, uint256 score, uint256 scorebank)",
);
const PAYOUT = parseAbiItem(
  "event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount, uint256 scorebank)",
);
const VIEWS = parseAbi([
  "function getScorebank(address wallet) view returns (uint256)",
  "function balanceOf(address wallet) view returns (uint256)",
]);

/** Everything the service has confirmed to an agent; nothing of it may be otherwise later. */
interface Confirmed {
  readonly scores: Map<string, number>;
  readonly snapshots: Set<string>;
  readonly payouts: Map<string, number>;
}

/** One turn of an agent's life; each step may be cut off anywhere and is begun again by the next turn. */
async function runLifecycle(
  client: ArcadeClient,
  slug: string,
  confirmed: Confirmed,
  progress: { step: string },
): Promise<void> {
  progress.step = "register";
  await registerAgent({ client, agentName: "Lazarus" });
  progress.step = "start";
  const session = await client.sessions.start({ slug, source: "agent_api" }).catch((error: unknown) => {
    if (isApiError(error, "SESSION_ACTIVE")) return { slug, sessionId: String(error.fields.sessionId) };
    if (isApiError(error, "SNAPSHOT_REQUIRED", "NFT_MINT_REQUIRED")) return null;
    throw error;
  });
  if (session !== null) {
    progress.step = "play";
    const bot = findGame(slug)!.bots.reference();
    let ending = false;
    const end = await playSession({
      client,
      session,
      reconnectTimeoutMs: 0,
      bot: (frame) => {
        if (frame.score.current > 0 && frame.tMs > 1500 && !ending) {
          ending = true;
          client.sessions.end({ slug, sessionId: session.sessionId }).catch(() => undefined);
        }
        return bot(frame);
      },
    });
    confirmed.scores.set(`${slug}/${end.sessionId}`, end.score);
  }
  progress.step = "snapshot";
  for (;;) {
    const snapshot = await snapshotScore({ client });
    if (snapshot.mode === "none") break;
    confirmed.snapshots.add(snapshot.gameSessionHash!);
  }
  progress.step = "nft";
  await progressNft({ client, slug });
  progress.step = "payout";
  const outcome = await requestPayout({ client });
  if (outcome.paid) confirmed.payouts.set(outcome.payout.payoutId, outcome.payout.score);
}

describe("kill -9 at random moments", function () {
  this.timeout(1_800_000);
  const random = createRandom(SEED);
  const agents = Array.from({ length: AGENTS }, () => ({
    agent: makeDrillAgent(),
    confirmed: { scores: new Map(), snapshots: new Set(), payouts: new Map() } as Confirmed,
    turn: { step: "begin" },
  }));
  const readyMs: number[] = [];
  const killsByStep: { [step: string]: number } = {};
  let dataDir: string;
  let arcade: ArcadeProcess;
  let env: { [name: string]: string };
  let isRunning = true;
  let completedRuns = 0;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-kill-"));
    const ports = { ARCADE_PORT: String(await findFreePort()), ARCADE_RPC_PORT: String(await findFreePort()) };
    env = { ...PATIENT_WITH_CHAIN, ...ports };
    arcade = await startProcess({ dataDir, env });
    for (const { agent } of agents) await fund(arcade.ready, agent.address);
  });
  after(async () => {
    arcade?.kill("SIGKILL");
    await arcade?.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Runs lifecycles one after another; an interrupted one is expected while the server is being killed. */
  async function runLifecycles(
    { agent, confirmed, turn }: (typeof agents)[number],
    unexpected: unknown[],
  ): Promise<void> {
    for (let count = 0; isRunning; count += 1) {
      const process = arcade;
      try {
        await runLifecycle(agent.connect(process.ready), SLUGS[count % 2]!, confirmed, turn);
        completedRuns += 1;
      } catch (error) {
        const isCut =
          process !== arcade || (await Promise.race([process.exited.then(() => true), sleep(200)])) === true;
        if (!isCut) unexpected.push(error);
        await sleep(100);
      }
    }
  }

  it("a kill loses nothing and doubles nothing", async () => {
    const unexpected: unknown[] = [];
    const running = agents.map((entry) => runLifecycles(entry, unexpected));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const step = STEPS[Math.floor(random() * STEPS.length)]!;
      const deadlineMs = performance.now() + STEP_WAIT_MS;
      while (agents.every(({ turn }) => turn.step !== step) && performance.now() < deadlineMs) await sleep(2);
      await sleep(random() * (step === "play" ? 3000 : 150));
      for (const { turn } of agents) killsByStep[turn.step] = (killsByStep[turn.step] ?? 0) + 1;
      arcade.kill("SIGKILL");
      await arcade.exited;
      if (IS_SELF_TEST && kill === KILLS - 1) await rm(join(dataDir, "arcade.db"));
      arcade = await startProcess({ dataDir, env });
      readyMs.push(arcade.readyMs);
    }
    const target = completedRuns + AGENTS;
    while (completedRuns < target && unexpected.length === 0) await sleep(200);
    isRunning = false;
    await Promise.all(running);
    readyMs.sort((a, b) => a - b);
    printFigures({
      kills: readyMs.length,
      lives: completedRuns,
      "killed during": JSON.stringify(killsByStep),
      "ready again, median": `${readyMs[readyMs.length >> 1]} ms`,
      "95 %": `${readyMs[Math.ceil(readyMs.length * 0.95) - 1]} ms`,
    });
    expect(unexpected.map(String)).to.deep.equal([]);
    for (const { agent, confirmed } of agents) await check(agent, confirmed);
  });

  async function check(agent: DrillAgent, confirmed: Confirmed): Promise<void> {
    const client = agent.connect(arcade.ready);
    const chain = createPublicClient({ chain: hardhat, transport: http(arcade.ready.rpcUrl), cacheTime: 0 });
    const { rewards, token } = arcade.ready.contracts;
    const args = { wallet: agent.address } as const;
    const common = { address: rewards, args, fromBlock: 0n } as const;
    const snapshots = await chain.getLogs({ ...common, event: SNAPSHOT });
    const payouts = await chain.getLogs({ ...common, event: PAYOUT });
    const read = (address: `0x${string}`, functionName: "getScorebank" | "balanceOf") =>
      chain.readContract({ address, abi: VIEWS, functionName, args: [agent.address] });

    const hashes = snapshots.map((log) => log.args.gameSessionHash!);
    expect(new Set(hashes).size, "a session counted twice").to.equal(hashes.length);
    expect(hashes, "a confirmed snapshot is gone").to.include.members([...confirmed.snapshots]);

    const scoreOnChain = new Map(snapshots.map((log) => [log.args.gameSessionHash!, Number(log.args.score)]));
    let onChain = 0;
    for (const slug of SLUGS) {
      const { items, total } = await client.sessions.my({ slug, limit: 100 });
      expect(total).to.be.at.most(100);
      for (const session of items) {
        const score = confirmed.scores.get(`${slug}/${session.sessionId}`);
        if (score !== undefined) expect(session.score, "a confirmed score changed").to.equal(score);
        if (session.phase === "ended") expect(session.endReason).to.be.a("string");
        else expect(session.joinable, "a session that no player can join or end").to.equal(true);
        const counted = scoreOnChain.get(session.snapshot.gameSessionHash ?? "0x");
        if (counted === undefined) continue;
        onChain += 1;
        expect(counted, "the chain has another score").to.equal(session.score);
        expect(session.snapshot.state).to.be.oneOf(["included", "safe", "final"]);
      }
      for (const key of confirmed.scores.keys())
        if (key.startsWith(slug))
          expect(
            items.map(({ sessionId }) => `${slug}/${sessionId}`),
            "a confirmed session is gone",
          ).to.include(key);
    }
    expect(onChain, "a snapshot of no session").to.equal(hashes.length);

    const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n);
    const credited = sum(snapshots.map((log) => log.args.score!));
    const paid = sum(payouts.map((log) => log.args.score!));
    expect(await read(rewards, "getScorebank")).to.equal(credited - paid);
    expect(await read(token, "balanceOf")).to.equal(paid * TOKEN);
    expect(BigInt((await client.rewards.scorebank({})).score)).to.equal(credited - paid);
    const history = await client.rewards.payoutHistory({ limit: 100 });
    expect(history.items.map(({ txHash }) => txHash)).to.have.members(payouts.map((log) => log.transactionHash));
    const ids = history.items.map(({ payoutId }) => payoutId);
    expect(new Set(ids).size, "one payout paid twice").to.equal(ids.length);
    expect(ids).to.include.members([...confirmed.payouts.keys()]);
  }
});
