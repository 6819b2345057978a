/**
 * kill -9 at random moments of an agent's steps: of `npm start` with its chain, and of a backend whose anvil keeps
 * running. What may never happen: a session counted twice, a payout made twice, a confirmed score lost or changed, a
 * session left without an end. `DRILL_SEED` and `DRILL_SHARE` repeat or shorten it; `DRILL_SELF_TEST=1` loses the
 * database in between, which must turn it red.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type ArcadeClient, mintOrUpgradeNft, playSession, registerAgent, requestPayout } from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { findFreePort } from "../../scripts/fleet/free-port.ts";
import { startAnvilChain } from "../../test/helpers/anvil-stack.ts";
import { fund, makeDrillAgent } from "./support/agent.ts";
import { openSession, snapshotScores } from "./support/agent-turns.ts";
import { toServerEnv } from "./support/anvil-server.ts";
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
import { type ArcadeProcess, startBackend, startProcess } from "./support/process.ts";

const KILLS = scaleCount(100);
const AGENTS = 2;
/** The step of the next kill is drawn from these; the moment within the step is random. */
const STEPS = ["register", "play", "snapshot", "nft", "payout"];
const STEP_WAIT_MS = 20_000;
const SLUGS = ["shellrunners", "flappybots"];
/** One turn of an agent; the next turn repeats a step that was cut off. */
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

type Server = Pick<ArcadeProcess, "readyMs" | "kill" | "exited"> & {
  readonly ready: Pick<ArcadeProcess["ready"], "httpUrl" | "rpcUrl"> & {
    readonly contracts: Pick<ArcadeProcess["ready"]["contracts"], "rewards" | "token">;
  };
};

/** A data folder, and the server that is restarted on it. */
interface Place {
  readonly dataDir: string;
  start(): Promise<Server>;
  fund(server: Server, address: `0x${string}`): Promise<void>;
  close(): Promise<void>;
}

/** `npm start`: a kill ends the chain as well. It starts again on the same ports, for the same clients. */
async function createLocalPlace(): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), "arcade-kill-"));
  const ports = { ARCADE_PORT: String(await findFreePort()), ARCADE_RPC_PORT: String(await findFreePort()) };
  return {
    dataDir,
    start: () => startProcess({ dataDir, env: { ...PATIENT_WITH_CHAIN, ...ports } }),
    fund: ({ ready }, address) => fund(ready, address),
    close: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** A backend beside an anvil, which keeps running while there is no backend. */
async function createAnvilPlace(): Promise<Place> {
  const chain = await startAnvilChain();
  const { dataDir, rpcUrl, deployment } = chain;
  const env = { ...toServerEnv(chain), ARCADE_PORT: String(await findFreePort()), ARCADE_RATE_LIMITS: "off" };
  return {
    dataDir,
    start: async () => {
      const startedMs = performance.now();
      const { httpUrl, kill, exited } = await startBackend({ dataDir, rpcUrl, env });
      const readyMs = Math.round(performance.now() - startedMs);
      return { ready: { httpUrl, rpcUrl, contracts: deployment }, readyMs, kill, exited };
    },
    fund: (_, address) => chain.fund(address),
    close: chain.close,
  };
}

const PLACES = [
  { what: "the process group of npm start, with its chain", create: createLocalPlace },
  { what: "a backend beside its chain", create: createAnvilPlace },
];

function describeKills(what: string, createPlace: () => Promise<Place>): void {
  describe(`kill -9 at random moments of ${what}`, function () {
    this.timeout(1_800_000);
    const random = createRandom(SEED);
    const agents = Array.from({ length: AGENTS }, () => ({
      agent: makeDrillAgent(),
      confirmed: createConfirmed(),
      turn: { step: "begin" },
    }));
    const readyMs: number[] = [];
    const killsByStep: { [step: string]: number } = {};
    let place: Place;
    let server: Server;
    let isRunning = true;
    let completedRuns = 0;

    before(async () => {
      place = await createPlace();
      server = await place.start();
      for (const { agent } of agents) await place.fund(server, agent.address);
    });
    after(async () => {
      server?.kill("SIGKILL");
      await server?.exited;
      await place?.close();
    });

    /** Runs lifecycles one after another; an interrupted one is expected while the server is being killed. */
    async function runLifecycles(
      { agent, confirmed, turn }: (typeof agents)[number],
      unexpected: unknown[],
    ): Promise<void> {
      for (let count = 0; isRunning; count += 1) {
        const running = server;
        try {
          await runLifecycle(agent.connect(running.ready), SLUGS[count % 2]!, confirmed, turn);
          completedRuns += 1;
        } catch (error) {
          const isCut =
            running !== server || (await Promise.race([running.exited.then(() => true), sleep(200)])) === true;
          if (!isCut) unexpected.push(error);
          await sleep(100);
        }
      }
    }

    it("kills lose nothing and duplicate nothing", async () => {
      const unexpected: unknown[] = [];
      const running = agents.map((entry) => runLifecycles(entry, unexpected));
      for (let kill = 0; kill < KILLS; kill += 1) {
        const step = STEPS[Math.floor(random() * STEPS.length)]!;
        const deadlineMs = performance.now() + STEP_WAIT_MS;
        while (agents.every(({ turn }) => turn.step !== step) && performance.now() < deadlineMs) await sleep(2);
        await sleep(random() * (step === "play" ? 3000 : 150));
        for (const { turn } of agents) killsByStep[turn.step] = (killsByStep[turn.step] ?? 0) + 1;
        server.kill("SIGKILL");
        await server.exited;
        if (IS_SELF_TEST && kill === KILLS - 1) await rm(join(place.dataDir, "arcade.db"));
        server = await place.start();
        readyMs.push(server.readyMs);
      }
      const target = completedRuns + AGENTS;
      while (completedRuns < target && unexpected.length === 0) await sleep(200);
      isRunning = false;
      await Promise.all(running);
      readyMs.sort((a, b) => a - b);
      printFigures({
        killed: what,
        kills: readyMs.length,
        "completed runs": completedRuns,
        "killed during": JSON.stringify(killsByStep),
        "ready again, median": `${readyMs[readyMs.length >> 1]} ms`,
        "95 %": `${readyMs[Math.ceil(readyMs.length * 0.95) - 1]} ms`,
      });
      expect(unexpected.map(String)).to.deep.equal([]);
      for (const { agent, confirmed } of agents) {
        const client = agent.connect(server.ready);
        await checkConfirmed({ client, address: agent.address, confirmed, ready: server.ready, slugs: SLUGS });
      }
    });
  });
}

for (const { what, create } of PLACES) describeKills(what, create);
