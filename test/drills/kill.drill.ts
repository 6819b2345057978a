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
import { findGame } from "../../backend/games/index.ts";
import { type ArcadeClient, mintOrUpgradeNft, playSession, registerAgent, requestPayout } from "../../client/index.ts";
import { findFreePort } from "../../scripts/fleet/free-port.ts";
import { fund, makeDrillAgent } from "./support/agent.ts";
import { openSession, snapshotScores } from "./support/agent-turns.ts";
import { type Confirmed, checkConfirmed, createConfirmed } from "./support/confirmed.ts";
import {
  createRandom,
  IS_SELF_TEST,
  PATIENT_WITH_CHAIN,
  printFigures,
  SEED,
  scaleCount,
  sleep,
} from "./support/drill.ts";
import { type ArcadeProcess, startProcess } from "./support/process.ts";

const KILLS = scaleCount(100);
const AGENTS = 2;
/** Where the next kill falls is drawn from these; what comes after it in the same step is left to chance. */
const STEPS = ["register", "play", "snapshot", "nft", "payout"];
const STEP_WAIT_MS = 20_000;
const SLUGS = ["shellrunners", "flappybots"];
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
  const session = await openSession(client, slug);
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
  await snapshotScores(client, confirmed);
  progress.step = "nft";
  await mintOrUpgradeNft({ client, slug });
  progress.step = "payout";
  const outcome = await requestPayout({ client });
  if (outcome.paid) confirmed.payouts.set(outcome.payout.payoutId, outcome.payout.score);
}

describe("kill -9 at random moments", function () {
  this.timeout(1_800_000);
  const random = createRandom(SEED);
  const agents = Array.from({ length: AGENTS }, () => ({
    agent: makeDrillAgent(),
    confirmed: createConfirmed(),
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
    // It starts again on the same ports, where clients go on.
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
    for (const { agent, confirmed } of agents) {
      const client = agent.connect(arcade.ready);
      await checkConfirmed({ client, address: agent.address, confirmed, ready: arcade.ready, slugs: SLUGS });
    }
  });
});
