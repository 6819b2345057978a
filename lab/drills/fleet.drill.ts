/**
 * G2: several backends under kills, a stopped process, and restarts of NATS and PostgreSQL, with agents and viewers on
 * any node. What may never happen: a score is lost or doubled, a node writes to a session it does not run, a viewer
 * sees frames of a former node, a replay does not give its score.
 * `DRILL_SELF_TEST=1` removes the safeguards of `fleet-faults.ts`, one at a time.
 */
import { expect } from "chai";
import { verifyReplay } from "../../client/index.ts";
import { checkConfirmed } from "./support/confirmed.ts";
import {
  createRandom,
  expectFigure,
  FigureError,
  IS_SELF_TEST,
  printFigures,
  SEED,
  scaleCount,
  sleep,
} from "./support/drill.ts";
import { type FleetAgent, SLUGS } from "./support/fleet-agents.ts";
import { FleetRun, type FleetRunOptions } from "./support/fleet-run.ts";

/** As many as two cores can run beside the chain, the databases and the players. */
const SESSIONS = Math.max(4, scaleCount(40));
const VIEWERS = Math.max(4, scaleCount(20));
const KILLS = scaleCount(15);
const KILL_EVERY_MS = 20_000;
const STOPPED_MS = Math.max(4_000, scaleCount(20_000));
/** Random, so that kills hit every part of a run. */
const RANDOM_WAIT_MS = 2_000;
const IS_FULL = scaleCount(1_000) === 1_000;
const GOES_ON_MS = 5_000;
/** Faults that are injected together. */
const FLEET_FAULTS = {
  "fencing off": ["sessions-of-others-written"],
  "lease never checked": ["node-lease-always-held", "node-lease-not-checked", "node-lease-loss-missed"],
  "frames published before the epoch is known": ["frames-of-unknown-host"],
};
/** CI runs the smaller fleet. */
const BACKENDS = IS_FULL ? [2, 4] : [2];

/** Kills the node with the most games repeatedly, with the other faults between the kills. */
async function injectFaults(run: FleetRun): Promise<void> {
  const random = createRandom(SEED);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const nextMs = performance.now() + KILL_EVERY_MS;
    await sleep(random() * RANDOM_WAIT_MS);
    await run.kill();
    if (kill === Math.floor(KILLS / 4)) await run.restartNats();
    if (kill === Math.floor(KILLS / 2)) await run.pause(STOPPED_MS);
    if (kill === Math.floor((KILLS * 3) / 4)) await run.restartPostgres();
    if (kill < KILLS - 1) await sleep(Math.max(0, nextMs - performance.now()));
  }
}

/** Replays all ended sessions of an agent. Returns their total ticks. */
async function checkReplays(agent: FleetAgent, problems: string[]): Promise<number> {
  const client = agent.connect();
  let ticks = 0;
  for (const slug of SLUGS)
    for (const session of (await client.sessions.my({ slug, limit: 100 })).items) {
      if (session.phase !== "ended") continue;
      const replay = await client.sessions.replay({ slug, sessionId: session.sessionId });
      const { ok, reason, ticks: derived } = await verifyReplay(replay, { session });
      if (!ok || derived !== session.tick) problems.push(`the replay of ${session.sessionId}: ${reason}`);
      ticks += replay.ticks;
    }
  return ticks;
}

const toSlowestMs = (times: readonly number[]): number => Math.round(Math.max(0, ...times));

/** Throws if the fleet cannot start. */
async function runDrill(options: FleetRunOptions): Promise<Pick<FleetRun, "problems" | "late">> {
  const run = await FleetRun.start(options);
  const { problems, late, agents, viewers } = run;
  try {
    await injectFaults(run);
    await Promise.all(agents.map((agent) => agent.stop()));
    await Promise.all(viewers.map((viewer) => viewer.stop()));
    run.checkViewers();
    const { deployment, rpcUrl } = run.fleet;
    let ticks = 0;
    for (const agent of agents) {
      problems.push(...agent.unexpected);
      const { confirmed, agent: wallet } = agent;
      const facts = { confirmed, ready: { rpcUrl, contracts: deployment }, slugs: SLUGS };
      await checkConfirmed({ client: agent.connect(), address: wallet.address, ...facts }).catch((error: Error) =>
        (error instanceof FigureError ? late : problems).push(error.message),
      );
      ticks += await checkReplays(agent, problems);
    }
    const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
    const goneOn = run.goneOnMs.sort((a, b) => a - b);
    const [slowestMs, slowestAfterStopMs] = [toSlowestMs(goneOn), toSlowestMs(run.afterStopMs)];
    for (const ms of [slowestMs, slowestAfterStopMs])
      if (IS_FULL && ms > GOES_ON_MS) late.push(`play continued only after ${ms} ms`);
    printFigures({
      backends: options.backendCount,
      "sessions at a time": options.sessionCount,
      kills: KILLS,
      "sessions taken over": goneOn.length,
      "play continued, median": `${Math.round(goneOn[goneOn.length >> 1] ?? 0)} ms`,
      slowest: `${slowestMs} ms`,
      "after a stopped node, slowest": `${slowestAfterStopMs} ms`,
      "scores on chain": sum(agents.map(({ confirmed }) => confirmed.snapshots.size)),
      "ticks derived again": ticks,
      "frames of viewers": sum(viewers.map(({ frames }) => frames)),
      "errors that agents tried again after": sum(agents.map(({ errorCount }) => errorCount)),
    });
    return { problems, late };
  } finally {
    await run.stop();
  }
}

describe("G2: a fleet with killed nodes", function () {
  this.timeout(1_800_000);

  if (!IS_SELF_TEST)
    for (const backendCount of BACKENDS)
      it(`${backendCount} backends lose nothing and duplicate nothing`, async () => {
        const load = { sessionCount: SESSIONS, viewerCount: VIEWERS };
        const { problems, late } = await runDrill({ backendCount, ...load, faults: [] });
        expect(problems.join("\n")).to.equal("");
        expectFigure(() => expect(late.join("\n")).to.equal(""));
      });
  else
    it("finds each safeguard that is removed", async () => {
      const missed: string[] = [];
      for (const [fault, faults] of Object.entries(FLEET_FAULTS)) {
        const { problems, late } = await runDrill({ backendCount: 2, sessionCount: 4, viewerCount: 4, faults });
        const [found = "MISSED"] = [...problems, ...late];
        console.log(`      ${fault}: ${found}`);
        if (found === "MISSED") missed.push(fault);
      }
      // A self-test succeeds by failing.
      if (missed.length === 0) throw new Error(`found: ${Object.keys(FLEET_FAULTS).join(", ")}`);
    });
});
