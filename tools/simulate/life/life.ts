/** One simulated life: backends, agents, a chain and what goes wrong, from one seed. */
import { installWorld } from "../world/globals.ts";
import { Random } from "../world/random.ts";
import { Agent } from "./agent.ts";
import { drawFaults, type Fault, type FaultPlan, getFaultsEndMs } from "./faults.ts";
import { checkSettled, isSettled } from "./final-checks.ts";
import type { Scenery } from "./scenery.ts";
import { Violation } from "./trace.ts";
import { World } from "./world.ts";

/** How long everything may take to settle after the last fault. */
const SETTLE_MS = 150_000;
/** Comparing the store with the chain takes longer than most steps. */
const SETTLED_EVERY_MS = 500;

export interface LifeResult {
  readonly seed: number;
  readonly digest: string;
  readonly plan: FaultPlan;
  /** Null where every invariant held. */
  readonly violation: { readonly invariant: string; readonly message: string } | null;
  readonly trace: readonly string[];
  readonly simulatedMs: number;
  readonly steps: number;
}

export interface LifeOptions {
  readonly scenery: Scenery;
  readonly seed: number;
  /** The faults; drawn from the seed where they are left out. */
  readonly plan?: FaultPlan;
  readonly isTraceKept?: boolean;
}

const drawPlan = (seed: number): FaultPlan => drawFaults(new Random(seed + 0.5 * 2 ** 52));

export async function runLife({
  scenery,
  seed,
  plan = drawPlan(seed),
  isTraceKept = false,
}: LifeOptions): Promise<LifeResult> {
  const world = new World(scenery, seed, plan, isTraceKept);
  const { loop } = world;
  const restore = installWorld({
    loop,
    random: world.randoms.product,
    network: world.node.network,
    startMs: scenery.startMs,
  });
  try {
    await live(world);
  } finally {
    await world.finish();
    restore();
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
    simulatedMs: loop.nowMs,
    steps: loop.steps,
  };
}

async function live(world: World): Promise<void> {
  const { loop, plan, scenery } = world;
  const agents = scenery.wallets.slice(0, 1 + world.randoms.agents.int(2)).map((key) => new Agent(world, key));
  world.mineBlocks();
  for (const fault of plan) scheduleFault(world, fault);
  void world.startBackend();
  for (const agent of agents) void agent.run();
  const faultsEndMs = getFaultsEndMs(plan);
  const isBroken = (): boolean => world.violation !== null;
  await loop.runUntil(isBroken, faultsEndMs);
  world.isQuiet = true;
  world.node.reset();
  let checkedAtMs = 0;
  const isQuietNow = (): boolean => {
    if (loop.nowMs - checkedAtMs < SETTLED_EVERY_MS || !agents.every(({ isDone }) => isDone)) return false;
    checkedAtMs = loop.nowMs;
    return isSettled(world);
  };
  const isOver = (): boolean => isBroken() || isQuietNow();
  if (!(await loop.runUntil(isOver, faultsEndMs + SETTLE_MS))) {
    for (const { wallet, isDone, doing } of agents)
      if (!isDone) world.fail(new Violation("every agent is paid in the end", `${wallet} is still ${doing}`));
    checkSettled(world);
  }
  world.observations.checkAcknowledged();
  world.note(`the life ends after ${loop.steps} steps`);
}

function scheduleFault(world: World, fault: Fault): void {
  const { loop, chain, randoms } = world;
  if (fault.kind === "send lost") world.node.sendsLost += fault.count;
  if (fault.kind === "send refused but mined") world.node.sendsRefused += fault.count;
  if (fault.kind === "logs missing once") world.node.logsMissing += 1;
  if (!("atMs" in fault)) return;
  loop.schedule(fault.atMs, () => {
    world.note(JSON.stringify(fault));
    switch (fault.kind) {
      case "crash":
        return world.crash(undefined, fault.downMs);
      case "backend paused":
        if (world.backend !== null) world.backend.process.pausedUntilMs = loop.nowMs + fault.forMs;
        return;
      case "mempool dropped":
        return chain.pool.clear();
      case "clock step":
        return world.stepClock(fault.byMs);
      case "nonce used by hand":
        return useNonce(world);
      case "reorg":
        chain.drop(fault.depth, () => randoms.chain.chance(fault.forgotten));
        for (let block = 0; block <= fault.depth; block++) chain.mine(world.unixSeconds);
        return;
    }
  });
}

/** The operator's next nonce goes to an empty transfer that no store knows. */
function useNonce({ chain, randoms }: World): void {
  const from = chain.contracts.config.operator;
  const hash = `0x${randoms.chain.bytes(32).toString("hex")}` as const;
  const transaction = { hash, from, to: from, data: "0x" as const, maxFeePerGas: 10n ** 12n };
  for (const { hash: waiting, nonce, from: sender } of [...chain.pool.values()])
    if (sender === from && nonce === chain.getNonce(from)) chain.pool.delete(waiting);
  chain.add({ ...transaction, nonce: chain.getNonce(from) });
}
