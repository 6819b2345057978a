/** Everything of one life besides its agents: time, chain, disk, backends and what was observed. */
import type { Deployment } from "../../../backend/ports/chain.ts";
import { Chain } from "../chain/chain.ts";
import { Disk } from "../world/disk.ts";
import { EventLoop } from "../world/event-loop.ts";
import { Random } from "../world/random.ts";
import { Backends } from "./backends.ts";
import type { Fault, FaultPlan, WindowKind } from "./faults.ts";
import { createHabitsRandom, drawHabits, type Habits } from "./habits.ts";
import { type LifeKind, toKind } from "./kinds.ts";
import { NodeLink } from "./node-link.ts";
import { Observations } from "./observations.ts";
import type { Scenery } from "./scenery.ts";
import { Trace, type Violation } from "./trace.ts";

const COMMIT_MS = 1;
/** How many harsh lives have more than one backend; the others wait for the lease of the store. */
const SEVERAL_BACKENDS = 0.25;
const THREE_BACKENDS = 0.1;

function drawBackends(random: Random): number {
  const drawn = random.next();
  if (drawn < THREE_BACKENDS) return 3;
  return drawn < SEVERAL_BACKENDS ? 2 : 1;
}

export interface WorldOptions {
  readonly scenery: Scenery;
  readonly seed: number;
  readonly plan: FaultPlan;
  readonly isTraceKept: boolean;
  /** How many backends share the store; drawn from the seed where it is left out. */
  readonly backends?: number | undefined;
  /** Drawn from the seed where they are left out. */
  readonly habits?: Habits | undefined;
}

export class World {
  readonly loop = new EventLoop();
  readonly trace: Trace;
  readonly chain: Chain;
  readonly disk: Disk;
  readonly node: NodeLink;
  readonly observations: Observations;
  readonly scenery: Scenery;
  readonly plan: FaultPlan;
  /** What agents, chain, network and the product draw from; what one draws does not change what another does. */
  readonly randoms: {
    readonly agents: Random;
    readonly chain: Random;
    readonly network: Random;
    readonly product: Random;
    readonly habits: Random;
  };
  readonly habits: Habits;
  readonly kind: LifeKind;
  violation: Violation | null = null;
  /** True once no fault is under way any more. */
  isQuiet = false;
  readonly backends: Backends;
  /** Requests of agents that are not answered yet. */
  openRequests = 0;
  /** The faults that last for a while; most questions about them come in lives that have none of the kind. */
  readonly #windows: readonly Extract<Fault, { readonly forMs: number }>[];

  constructor(options: WorldOptions) {
    const { scenery, seed, plan, isTraceKept } = options;
    const random = new Random(seed);
    this.scenery = scenery;
    this.kind = toKind(seed);
    this.plan = plan;
    this.#windows = plan.filter((fault) => "forMs" in fault);
    this.trace = new Trace(isTraceKept);
    const habitsRandom = createHabitsRandom(seed);
    const drawnHabits = drawHabits(habitsRandom);
    this.habits = options.habits ?? drawnHabits;
    this.randoms = {
      ...{ agents: random.fork(), chain: random.fork(), network: random.fork(), product: random.fork() },
      habits: habitsRandom,
    };
    const drawnBackends = this.kind.isHarsh ? drawBackends(random) : 1;
    this.backends = new Backends(this, options.backends ?? drawnBackends);
    const { contracts, state, startMs } = scenery;
    this.chain = new Chain(contracts, this.randoms.chain, { time: Math.floor(startMs / 1000), state });
    this.node = new NodeLink({
      ...{ chain: this.chain, chainId: this.deployment.chainId, loop: this.loop, random: this.randoms.network },
      isActive: (kind) => this.isActive(kind),
      outlivesProcess: this.kind.isHarsh,
      note: (text) => this.note(text),
      onSent: (process, raws) => {
        if (this.backends.holdsStore(process)) for (const raw of raws) this.observations.checkSent(raw, this.chain);
        this.backends.afterSend(process);
      },
    });
    this.disk = new Disk(scenery.database, {
      beforeStatement: (process, sql) => this.backends.beforeStatement(process, sql),
      afterCommit: (process, isWritten) => this.backends.afterCommit(process, isWritten),
      waitForCommit: () => this.loop.sleep(COMMIT_MS),
      isFull: () => this.isActive("disk full"),
      isLocked: () => this.isActive("disk locked"),
    });
    this.observations = new Observations(
      this.disk,
      () => this.wallMs,
      (violation) => this.fail(violation),
    );
    this.chain.onChanged = () => this.observations.checkChain(this.chain);
  }

  get deployment(): Deployment {
    return this.scenery.contracts.config.deployment;
  }

  /** Unix seconds of the world. */
  get unixSeconds(): number {
    return Math.floor((this.scenery.startMs + this.loop.nowMs) / 1000);
  }

  /** The latest time that a process of the life has seen, milliseconds since 1970. */
  get wallMs(): number {
    return this.scenery.startMs + this.loop.nowMs + this.backends.wallOffsetMaxMs;
  }

  /** The time of the machine that the processes run on, milliseconds since 1970: none of them is behind it. */
  get leastWallMs(): number {
    return this.scenery.startMs + this.loop.nowMs + this.backends.wallOffsetMs;
  }

  note(text: string): void {
    this.trace.note(this.loop.nowMs, text);
  }

  fail(violation: Violation): void {
    if (this.violation === null) this.note(`VIOLATION ${violation.message}`);
    this.violation ??= violation;
  }

  isActive(kind: WindowKind): boolean {
    const { nowMs } = this.loop;
    return this.#windows.some(
      (fault) => fault.kind === kind && nowMs >= fault.atMs && nowMs < fault.atMs + fault.forMs,
    );
  }
}
