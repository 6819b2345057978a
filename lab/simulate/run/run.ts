/** One simulated run: backends, agents, a chain and faults, all from one seed. */

import { Random } from "../../../testing/random.ts";
import { finishRealTurn, getOwner } from "../world/event-loop.ts";
import { installWorld } from "../world/globals.ts";
import { Agent } from "./agent.ts";
import { type Behavior, createBehaviorRandom, createTurnsRandom, drawBehavior } from "./behavior.ts";
import { Blocks, useNonce } from "./blocks.ts";
import { callAtOnce } from "./calls-at-once.ts";
import { ChainExam } from "./chain-exam.ts";
import { beginChain, drawChainFaults, mineAtOnce } from "./chain-runs.ts";
import { type Coverage, clearCoverage, mark, readCoverage } from "./coverage.ts";
import { passDays } from "./day-budget.ts";
import { drawFaults, drawInitialFaults, drawRareFaults, type Fault, type FaultPlan } from "./faults.ts";
import { checkSettled, isSettled } from "./final-checks.ts";
import type { Fixtures } from "./fixtures.ts";
import type { InitialState } from "./initial-state.ts";
import { toKind, toStage } from "./kinds.ts";
import { drawFleetFaults, drawLaterFaults } from "./later-faults.ts";
import { checkLeaks } from "./leak-checks.ts";
import { leaveTransactions } from "./left-transactions.ts";
import { checkNewDatabase } from "./new-database-check.ts";
import { IDLE_MS, mayBeIdle } from "./poll-checks.ts";
import { makeBlocks, reorganize } from "./reorganizations.ts";
import { checkResync } from "./resync-check.ts";
import { type TraceLine, Violation } from "./trace.ts";
import { drawWorld, World } from "./world.ts";

/** The last blocks are replaced this long after the chain has halted. */
const HALTED_BEFORE_MS = 5_000;
const HALTED_FORGOTTEN = 0.3;
/** The time for everything to settle after the last fault. */
const SETTLE_MS = 150_000;
/** The n-th moment of a kind may occur this long after the last timed fault. */
const COUNTED_MS = 60_000;
const ACCOUNTS_MS = 240_000;
/** Not at every step, since comparing the store with the chain takes longer than most steps. */
const SETTLED_EVERY_MS = 500;

export interface RunResult {
  readonly seed: number;
  readonly digest: string;
  readonly plan: FaultPlan;
  /** Null if every invariant held. */
  readonly violation: { readonly invariant: string; readonly message: string } | null;
  readonly trace: readonly TraceLine[];
  readonly coverage: Coverage;
  readonly simulatedMs: number;
  readonly steps: number;
}

export interface RunOptions {
  readonly seed: number;
  /** The faults; drawn from the seed if left out. */
  readonly plan?: FaultPlan;
  readonly isTraceKept?: boolean;
  /** How many backends share the store; drawn from the seed if left out. */
  readonly backends?: number;
  /** Optional behavior of its agents; drawn from the seed by default. */
  readonly behavior?: Behavior;
}

interface Surroundings {
  readonly fixtures: Fixtures;
  readonly initialState: InitialState;
  /** Whether the run may end when its agents are done; by default it ends. */
  readonly mayEnd?: (world: World) => boolean;
  /** Called with the world and its agents when the backends have stopped. */
  readonly onEnded?: (world: World, agents: readonly Agent[]) => void;
}

/** What a seed draws for its run, without the draws of its course. */
export function drawScenario(seed: number) {
  const behavior = drawBehavior(createBehaviorRandom(seed), createTurnsRandom(seed));
  return { behavior, plan: drawPlan(seed, behavior), backends: drawWorld(seed).backends };
}

function drawPlan(seed: number, behavior: Behavior): FaultPlan {
  const stage = toStage(seed);
  const hasOperator = stage === null || stage === "payout" || behavior.areSponsored;
  const random = new Random(seed + 0.5 * 2 ** 52);
  const kind = toKind(seed);
  if (kind.name === "chain") return drawChainFaults(random, kind);
  const faults = [...drawFaults(random, kind, hasOperator), ...drawRareFaults(random, hasOperator)];
  const ofFleet = kind.isFleet ? drawFleetFaults(random, kind) : [];
  const drawn = [...faults, ...ofFleet];
  const first = [...drawn, ...drawInitialFaults(random, drawn)];
  if (!kind.isHarsh) return first;
  return [...first, ...drawLaterFaults(new Random(seed + 0.125 * 2 ** 52), kind, hasOperator, first)];
}

export async function simulateRun(
  { seed, plan: givenPlan, isTraceKept = false, backends, behavior: givenBehavior }: RunOptions,
  { fixtures, initialState, mayEnd = () => true, onEnded = () => undefined }: Surroundings,
): Promise<RunResult> {
  clearCoverage();
  const behavior = givenBehavior ?? drawBehavior(createBehaviorRandom(seed), createTurnsRandom(seed));
  const plan = givenPlan ?? drawPlan(seed, behavior);
  const world = new World({ fixtures, initialState, seed, plan, isTraceKept, backends, behavior });
  try {
    beginChain(world, seed);
    const exam = new ChainExam(world, seed);
    await runInWorld(world, exam, mayEnd, onEnded);
    world.disk.database.onBlockRemoved = () => undefined;
    if (world.violation === null) await checkResync(world, seed);
    if (world.violation === null && world.isAudited && world.backends.count > 1) await checkNewDatabase(world);
  } finally {
    world.disk.close();
  }
  const { violation, trace } = world;
  const told = violation === null ? null : { invariant: violation.invariant, message: violation.message };
  return {
    seed,
    digest: trace.digest(),
    plan,
    violation: told,
    trace: trace.lines,
    coverage: readCoverage(),
    simulatedMs: world.loop.nowMs,
    steps: world.loop.steps,
  };
}

/** Simulates with stand-ins for time, randomness and network. Nothing runs after it. */
async function runInWorld(
  world: World,
  exam: ChainExam,
  mayEnd: (world: World) => boolean,
  onEnded: (world: World, agents: readonly Agent[]) => void,
): Promise<void> {
  const { loop, randoms, node, initialState } = world;
  const { network } = node;
  const installed = installWorld({ loop, random: randoms.product, network, startMs: initialState.startMs });
  const stopWatching = watchUnhandled(world);
  try {
    const agents = createAgents(world);
    await playOut(world, exam, agents, mayEnd);
    onEnded(world, agents);
  } finally {
    world.backends.finish();
    // Leave nothing in modules that the next run shares. A failed request may be retried at once.
    do {
      await loop.finishTurns();
    } while (installed.failRequests());
    installed.restore();
    await finishRealTurn();
    stopWatching();
  }
}

/** Watches for unhandled errors, which would end the service's process. Returns the function that ends the watch. */
function watchUnhandled(world: World): () => void {
  const onUnhandled = (error: unknown): void => {
    if (getOwner()?.isAlive !== false) world.fail(new Violation("no error is left unhandled", String(error)));
  };
  process.on("unhandledRejection", onUnhandled);
  return () => process.off("unhandledRejection", onUnhandled);
}

const createAgents = (world: World): readonly Agent[] =>
  world.fixtures.wallets
    .slice(0, world.kind.drawAgents(world.randoms.agents))
    .map((key, index) => new Agent(world, key, `203.0.113.${index + 1}`, world.initialState.memory));

async function playOut(
  world: World,
  exam: ChainExam,
  agents: readonly Agent[],
  mayEnd: (world: World) => boolean,
): Promise<void> {
  const { loop, plan } = world;
  const blocks = new Blocks(world);
  blocks.start();
  for (const fault of plan) scheduleFault(world, fault);
  await leaveTransactions(world);
  world.backends.start();
  for (const agent of agents) void agent.run();
  const faultsEndMs = getFaultsEndMs(plan);
  const isBroken = (): boolean => world.violation !== null;
  const areDone = (): boolean => exam.isDone && agents.every(({ isDone }) => isDone);
  passDays(world, faultsEndMs, () => !areDone());
  await loop.runUntil(isBroken, faultsEndMs);
  await loop.runUntil(() => isBroken() || agents.every(({ isDone }) => isDone), faultsEndMs + COUNTED_MS);
  world.isQuiet = true;
  world.node.reset();
  void exam.run();
  let checkedAtMs = 0;
  const isQuietNow = (): boolean => {
    if (blocks.isFaulty || loop.nowMs - checkedAtMs < SETTLED_EVERY_MS || !areDone()) return false;
    checkedAtMs = loop.nowMs;
    return isSettled(world) && mayEnd(world);
  };
  const isOver = (): boolean => isBroken() || isQuietNow();
  mark("check", "every agent is done in the end");
  mark("check", "no error is left unhandled");
  if (!(await loop.runUntil(isOver, faultsEndMs + SETTLE_MS))) {
    for (const { wallet, isDone, doing } of agents)
      if (!isDone) world.fail(new Violation("every agent is done in the end", `${wallet} is still ${doing}`));
  }
  // Time for polls that should have ended.
  if (!isBroken() && mayBeIdle(world)) await loop.runUntil(isBroken, loop.nowMs + IDLE_MS);
  checkSettled(world);
  world.observations.checkAcknowledged();
  world.sponsorship.check();
  if (world.isAudited && !isBroken()) await checkAccounts(world, agents);
  const broken = world.histories.findBroken();
  if (broken !== null) world.fail(new Violation("histories are linearizable", broken));
  world.note(`the run ends after ${loop.steps} steps`);
  if (!isBroken()) await checkLeaks(world);
}

/** Reads what the service shows the agents about their payouts, which takes too long for every run. */
async function checkAccounts(world: World, agents: readonly Agent[]): Promise<void> {
  let left = agents.length;
  for (const agent of agents)
    agent.checkAccount().then(
      () => {
        left -= 1;
      },
      (error: Error) => world.fail(new Violation("what the service shows is on chain", error.message)),
    );
  const { loop } = world;
  if (!(await loop.runUntil(() => left === 0 || world.violation !== null, loop.nowMs + ACCOUNTS_MS)))
    world.fail(new Violation("every wait ends", "the account of an agent"));
}

function scheduleFault(world: World, fault: Fault): void {
  const { loop, chain } = world;
  world.node.plan(fault);
  if (!("atMs" in fault)) return;
  loop.schedule(fault.atMs, () => {
    world.note(JSON.stringify(fault));
    switch (fault.kind) {
      case "crash":
        return world.backends.crash(null, fault.downMs);
      case "backend stopped":
        return void world.backends.stop(fault.downMs);
      case "backend paused":
        return world.backends.pause(fault.forMs);
      case "database away":
        return world.shared?.failOver();
      case "messages cut":
        return world.backends.cutMessages(fault.isWhole, fault.forMs);
      case "mempool dropped":
        if (chain.pool.size > 0) mark("fault", fault.kind);
        return chain.pool.clear();
      case "clock step":
        return world.backends.stepClock(fault.byMs);
      case "nonce used by hand":
        mark("fault", fault.kind);
        return void useNonce(world);
      case "chain halted":
        loop.schedule(HALTED_BEFORE_MS, () => reorganize(world, fault.depth, HALTED_FORGOTTEN, true));
        return;
      case "blocks frequent":
        return makeBlocks(world, fault.forMs, fault.depth);
      case "reorg":
        return reorganize(world, fault.depth, fault.forgotten, false);
      case "calls at once":
        return callAtOnce(world, fault.count);
      case "blocks at once":
        mark("fault", fault.kind);
        return mineAtOnce(world, fault.count);
    }
  });
}

/** When the faults of a plan end at the latest. */
const getFaultsEndMs = (plan: FaultPlan): number =>
  Math.max(0, ...plan.map((fault) => ("atMs" in fault ? fault.atMs + ("forMs" in fault ? fault.forMs : 0) : 0)));
