/** Everything of one run except its agents: time, chain, disk, backends and observations. */
import type { Hex } from "viem";
import type { Deployment } from "../../../backend/ports/chain.ts";
import { Random } from "../../../testing/random.ts";
import { Chain } from "../chain/chain.ts";
import { FINAL_DEPTH } from "../chain/node.ts";
import { Disk } from "../world/disk.ts";
import { EventLoop } from "../world/event-loop.ts";
import { MessageServer } from "../world/message-server.ts";
import { SharedDatabase } from "../world/shared-database.ts";
import { Backends, toBackendName } from "./backends.ts";
import { type Behavior, createBehaviorRandom, createTurnsRandom, drawBehavior } from "./behavior.ts";
import type { OpenCalls } from "./calls-at-once.ts";
import { mark } from "./coverage.ts";
import type { Fault, FaultPlan, WindowKind } from "./faults.ts";
import type { Fixtures } from "./fixtures.ts";
import { Histories } from "./histories.ts";
import type { InitialState } from "./initial-state.ts";
import { type RunKind, toKind, toStage } from "./kinds.ts";
import { NodeLink } from "./node-link.ts";
import { Observations } from "./observations.ts";
import { reorganize } from "./reorganizations.ts";
import { Sponsorship } from "./sponsorship-checks.ts";
import type { Stage } from "./stages.ts";
import { Trace, type Violation } from "./trace.ts";
import { TransactionChecks } from "./transaction-checks.ts";

const COMMIT_MS = 1;
/** As `idle_in_transaction_session_timeout` of the pool. */
const SERVER_IDLE_MS = 2_000;
/** PostgreSQL's transactions wait for each other's rows. */
const LOCK_WAITS_MAX = 20;
const AUDITED_EVERY = 8;
const HIGH_CONFIRMATIONS = 8;
/** Of chain runs: as the model's, deeper than the service's guess for nodes without the tag, and none. */
const FINAL_DEPTHS = [FINAL_DEPTH, 90, 90, 0];
function drawBackends(random: Random, { three, several }: RunKind["backends"]): number {
  const drawn = random.next();
  if (drawn < three) return 3;
  return drawn < several ? 2 : 1;
}

/** The separate random sources of a run, and how many backends it has. */
export function drawWorld(seed: number) {
  const random = new Random(seed);
  const randoms = { agents: random.fork(), chain: random.fork(), network: random.fork(), product: random.fork() };
  const kind = toKind(seed);
  return { random, randoms, backends: kind.isFleet ? 2 + random.int(3) : drawBackends(random, kind.backends) };
}

export interface WorldOptions {
  readonly fixtures: Fixtures;
  readonly initialState: InitialState;
  readonly seed: number;
  readonly plan: FaultPlan;
  readonly isTraceKept: boolean;
  /** How many backends share the store; drawn from the seed if left out. */
  readonly backends?: number | undefined;
  /** Drawn from the seed if left out. */
  readonly behavior?: Behavior | undefined;
}

export class World {
  readonly loop = new EventLoop();
  readonly trace: Trace;
  readonly chain: Chain;
  readonly disk: Disk;
  /** The database that the backends of a fleet share; null if they wait for a lease. */
  readonly shared: SharedDatabase | null;
  readonly messages: MessageServer | null;
  readonly node: NodeLink;
  readonly observations: Observations;
  readonly fixtures: Fixtures;
  readonly initialState: InitialState;
  readonly plan: FaultPlan;
  /** Separate random sources of agents, chain, network and product, so that draws do not affect each other. */
  readonly randoms: {
    readonly agents: Random;
    readonly chain: Random;
    readonly network: Random;
    readonly product: Random;
    readonly behavior: Random;
    readonly turns: Random;
  };
  readonly seed: number;
  readonly behavior: Behavior;
  readonly kind: RunKind;
  /** Whether the run ends with reads of the agents' accounts. No other run starts from its state. */
  readonly isAudited: boolean;
  /** Null if the run has all stages. */
  readonly stage: Stage | null;
  violation: Violation | null = null;
  /** Whether all faults are over. */
  isQuiet = false;
  /** The contracts, with the block from which the backends read their events. */
  deployment: Deployment;
  /** The depth of the node's final blocks. Those of real chains may be deeper than the service's own guess. */
  readonly finalDepth: number;
  /** The operator's number of blocks on top of a safe one; higher if the node calls its head final. */
  readonly confirmations: number;
  readonly backends: Backends;
  readonly sponsorship = new Sponsorship(this);
  readonly histories = new Histories(this);
  readonly transactions = new TransactionChecks(this);
  /** Transactions of the operator's account that were not sent by a backend. */
  readonly sentByHand = new Set<Hex>();
  /** Requests of agents that are not answered yet. */
  openRequests = 0;
  /** Those for payouts, by number. */
  readonly openPayouts = new Set<number>();
  requests = 0;
  /** Calls of many wallets at once. */
  readonly openCalls: OpenCalls[] = [];
  #writes = 0;
  #transactionWrites = 0;
  /** When the disk was full at one statement. */
  fullAtMs = Number.NEGATIVE_INFINITY;
  /** The faults that last for a while, filtered once, since most look-ups are for kinds that the run does not have. */
  readonly #windows: readonly Extract<Fault, { readonly forMs: number }>[];

  constructor(options: WorldOptions) {
    const { fixtures, initialState, seed, plan, isTraceKept } = options;
    const { random, randoms, backends } = drawWorld(seed);
    this.fixtures = fixtures;
    this.initialState = initialState;
    this.seed = seed;
    this.kind = toKind(seed);
    this.isAudited = seed % AUDITED_EVERY === AUDITED_EVERY - 1;
    this.stage = toStage(seed);
    this.plan = plan;
    this.deployment = fixtures.contracts.config.deployment;
    const isOfChain = this.kind.name === "chain";
    this.finalDepth = isOfChain ? FINAL_DEPTHS[Math.floor(seed / 2) % FINAL_DEPTHS.length]! : FINAL_DEPTH;
    this.confirmations = this.finalDepth === 0 ? HIGH_CONFIRMATIONS : fixtures.config.confirmations;
    this.#windows = plan.filter((fault) => "forMs" in fault);
    this.trace = new Trace(isTraceKept);
    const behaviorRandom = createBehaviorRandom(seed);
    const turnsRandom = createTurnsRandom(seed);
    const drawnBehavior = drawBehavior(behaviorRandom, turnsRandom);
    this.behavior = options.behavior ?? drawnBehavior;
    this.randoms = { ...randoms, behavior: behaviorRandom, turns: turnsRandom };
    this.backends = new Backends(this, options.backends ?? backends);
    this.chain = new Chain(fixtures.contracts, this.randoms.chain, initialState.chain);
    const unusual = plan.find((fault) => fault.kind === "unusual node");
    if (unusual !== undefined) this.chain.traits = unusual;
    this.node = new NodeLink({
      ...{ chain: this.chain, chainId: this.deployment.chainId, loop: this.loop, random: this.randoms.network },
      ...{ finalDepth: this.finalDepth, hasBlooms: isOfChain },
      isActive: (kind, name) => this.isActive(kind, undefined, name),
      drawLag: (name) => this.#drawLag(name),
      outlivesProcess: this.kind.isHarsh,
      note: (text) => this.note(text),
      onRefused: (raw, reason) => this.transactions.onRefused(raw, reason),
      onAccepted: (raw) => this.transactions.onAccepted(raw),
      onReorg: ({ kind, depth, forgotten, method }) => {
        mark("fault", kind);
        this.note(`the last ${depth} blocks are replaced after an answer to ${method}`);
        reorganize(this, depth, forgotten, false);
      },
      onSent: (process, raws) => {
        if (this.backends.holdsStore(process))
          for (const raw of raws)
            if (this.observations.checkSent(raw, this.chain, this.kind.isFleet)) this.transactions.onSent(raw);
        this.backends.moments.afterSend(process);
      },
    });
    this.disk = new Disk(initialState.database, {
      beforeStatement: (process, sql) => this.backends.beforeStatement(process, sql),
      afterCommit: (process, written) => this.backends.afterCommit(process, written),
      waitForCommit: () => this.loop.sleep(COMMIT_MS),
      losesAnswer: (count) => this.#losesAnswer(count),
      isFull: (sql) => this.isActive("disk full") || this.#isFullOnce(sql),
      isLocked: () => this.isActive("disk locked"),
      isAway: () => this.isActive("database away"),
      idleMs: this.kind.isFleet ? SERVER_IDLE_MS : Number.POSITIVE_INFINITY,
      waitsMax: this.kind.isFleet ? LOCK_WAITS_MAX : 0,
    });
    const { loop, disk, kind } = this;
    initialState.database.readClock = () => initialState.startMs + loop.nowMs;
    const isAway = (): boolean => this.isActive("database away");
    this.shared = kind.isFleet ? new SharedDatabase({ loop, disk, random: random.fork(), isAway }) : null;
    this.messages = kind.isFleet ? new MessageServer(loop, random.fork()) : null;
    this.observations = new Observations({
      ...{ disk: this.disk, known: initialState.known },
      readWallMs: () => this.wallMs,
      fail: (violation) => this.fail(violation),
    });
    this.chain.onChanged = () => this.observations.checkChain(this.chain);
  }

  /** Unix seconds of the world. */
  get unixSeconds(): number {
    return Math.floor((this.initialState.startMs + this.loop.nowMs) / 1000);
  }

  /** The latest time that a process of the run has seen, milliseconds since 1970. */
  get wallMs(): number {
    return this.initialState.startMs + this.loop.nowMs + this.backends.wallOffsetMaxMs;
  }

  /** The machine's time, in milliseconds since 1970. No process is behind it. */
  get leastWallMs(): number {
    return this.initialState.startMs + this.loop.nowMs + this.backends.wallOffsetMs;
  }

  /** `agent`: the agent whose request it concerns. */
  note(text: string, agent: string | null = null): void {
    this.trace.note(this.loop.nowMs, text, agent);
  }

  fail(violation: Violation): void {
    if (this.violation === null) this.note(`VIOLATION ${violation.message}`);
    this.violation ??= violation;
  }

  /** Called with each statement that writes. */
  #isFullOnce(sql: string): boolean {
    const isOfTransactions = / "transactions" /.test(sql);
    this.#writes += 1;
    this.#transactionWrites += isOfTransactions ? 1 : 0;
    const isFull = this.plan.some(
      (fault) =>
        fault.kind === "disk full once" &&
        (fault.of === undefined
          ? fault.count === this.#writes
          : isOfTransactions && fault.count === this.#transactionWrites),
    );
    if (!isFull || this.isQuiet) return false;
    mark("fault", "disk full once");
    this.fullAtMs = this.loop.nowMs;
    return true;
  }

  /** Whether the answer to the n-th commit is lost, although it has taken effect. */
  #losesAnswer(count: number): boolean {
    const isLost = this.plan.some((fault) => fault.kind === "commit unknown" && fault.count === count);
    if (!isLost) return false;
    mark("fault", "commit unknown");
    this.disk.commitLostMs = this.loop.nowMs;
    return true;
  }

  #drawLag(name: string): number {
    const behind = this.#findWindow("node behind", this.loop.nowMs, name);
    if (behind === undefined) return 0;
    const { lag = 1, isPool = false } = behind as { readonly lag?: number; readonly isPool?: boolean };
    return isPool ? this.randoms.network.int(lag + 1) : lag;
  }

  /** Whether it is active, or has been since that time: at any backend, or at the one with this name. */
  isActive(kind: WindowKind, sinceMs = this.loop.nowMs, name: string | null = null): boolean {
    return this.#findWindow(kind, sinceMs, name) !== undefined;
  }

  #findWindow(kind: WindowKind, sinceMs: number, name: string | null) {
    const { nowMs } = this.loop;
    return this.#windows.find(
      (fault) =>
        fault.kind === kind &&
        nowMs >= fault.atMs &&
        sinceMs < fault.atMs + fault.forMs &&
        (name === null || !("of" in fault) || name === toBackendName(fault.of!)),
    );
  }
}
