/** The backends of a run: starts and ends them, and knows which of them serve. */
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Log } from "../../../backend/ports/system.ts";
import type { Random } from "../../../testing/random.ts";
import type { Disk } from "../world/disk.ts";
import { type EventLoop, runAs, type SimulatedProcess } from "../world/event-loop.ts";
import type { MessageServer } from "../world/message-server.ts";
import type { SharedDatabase } from "../world/shared-database.ts";
import { SimulatedBackend } from "./backend.ts";
import { countChanges, mark } from "./coverage.ts";
import { CrashMoments } from "./crash-moments.ts";
import { type FaultPlan, hasOrders } from "./faults.ts";
import type { Fixtures } from "./fixtures.ts";
import { findCallsPerDay } from "./later-faults.ts";
import { LeaseChecks } from "./lease-checks.ts";
import { NoAnswer } from "./no-answer.ts";
import type { Observations } from "./observations.ts";
import type { Violation } from "./trace.ts";

const POLL_MS = 2_000;
const RESTART_RETRY_MS = 500;
const REQUESTS_END_MS = 1_000;
/** A process that has not stopped by then is killed. */
const STOPPED_MS = 30_000;

export interface Running {
  readonly backend: SimulatedBackend;
  /** Rejects when its process ends. */
  readonly ended: Promise<never>;
}

/** The parts of the run's world that backends need. */
interface Surroundings {
  readonly loop: EventLoop;
  readonly disk: Disk;
  readonly shared: SharedDatabase | null;
  readonly messages: MessageServer | null;
  readonly deployment: Deployment;
  readonly fixtures: Fixtures;
  readonly observations: Observations;
  readonly plan: FaultPlan;
  readonly isQuiet: boolean;
  readonly transactions: { onLogged(process: string, message: string, fields: object): void };
  readonly confirmations: number;
  note(text: string): void;
  fail(violation: Violation): void;
}

interface Started {
  readonly process: SimulatedProcess;
  readonly ended: Promise<never>;
  readonly end: (reason: NoAnswer) => void;
}

/** The name of the n-th process, from 1. */
export const toBackendName = (count: number): string => `backend-${count}`;

export class Backends {
  readonly #world: Surroundings;
  readonly #count: number;
  readonly #started: Started[] = [];
  readonly #opened: SimulatedBackend[] = [];
  /** In the order in which they began to serve. */
  #running: readonly Running[] = [];
  readonly leases: LeaseChecks;
  readonly moments: CrashMoments;
  /** What had happened to transactions when the last process was started. */
  changesAtStart: readonly number[] = [];
  /** How far the machine's wall clock is ahead of the run's. */
  wallOffsetMs = 0;
  /** The most that it has been ahead. */
  wallOffsetMaxMs = 0;

  /** `count`: several backends share a store, whose lease decides which one serves. */
  constructor(world: Surroundings, count: number) {
    this.#world = world;
    this.#count = count;
    this.leases = new LeaseChecks(world);
    this.moments = new CrashMoments(world, (process, downMs) => this.crash(process, downMs));
  }

  /** The backends that serve or believe they do: a suspended one does not know yet that another has taken over. */
  get running(): readonly Running[] {
    return this.#running;
  }

  /** How many processes the run has started. */
  get count(): number {
    return this.#started.length;
  }

  /** Whether a process is suspended, even one that was to stop: it keeps its requests and its transaction. */
  get isAnyPaused(): boolean {
    return this.#started.some(({ process }) => process.isAlive && process.pausedUntilMs > this.#world.loop.nowMs);
  }

  /** Whether no other backend works on the store. */
  get isAlone(): boolean {
    return this.#count === 1;
  }

  /** The backend that a request reaches. Throws `NoAnswer` if none serves. */
  pick(random: Random): Running {
    const [first, ...others] = this.#running;
    if (first === undefined) throw new NoAnswer("there is no backend");
    return others.length === 0 ? first : random.pick(this.#running);
  }

  start(): void {
    for (let index = 0; index < this.#count; index++) void this.#keepUp();
  }

  /** From now on no request reaches a backend. Returns those that served. */
  stopServing(): readonly SimulatedBackend[] {
    const backends = this.#running.map(({ backend }) => backend);
    this.#running = [];
    return backends;
  }

  /** Starts a process, and repeats it until one serves. */
  async #keepUp(): Promise<void> {
    const world = this.#world;
    for (;;) {
      const { process, ended } = this.#create();
      world.note(`${process.name} starts`);
      try {
        const backend = await Promise.race([this.#open(process), ended]);
        this.#opened.push(backend);
        this.#running = [...this.#running, { backend, ended }];
        this.leases.onServing(backend);
        world.note(`${process.name} runs`);
        return;
      } catch (error) {
        world.note(`${process.name} could not start: ${(error as Error).message}`);
        if (process.isAlive) this.#end(process);
        await world.loop.sleep(RESTART_RETRY_MS);
      }
    }
  }

  #create(): Started {
    const name = toBackendName(this.#started.length + 1);
    const process = { name, isAlive: true, pausedUntilMs: 0, wallOffsetMs: this.wallOffsetMs };
    this.changesAtStart = countChanges();
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    ended.catch(() => undefined);
    const started = { process, ended, end };
    this.#started.push(started);
    this.leases.onStarted(process);
    return started;
  }

  #open(process: SimulatedProcess): Promise<SimulatedBackend> {
    const { loop, disk, deployment, fixtures, plan, shared, messages } = this.#world;
    const operatorCallsPerDay = findCallsPerDay(this.#world.plan) ?? fixtures.config.operatorCallsPerDay;
    const config = { ...fixtures.config, confirmations: this.#world.confirmations, operatorCallsPerDay };
    const { keys } = fixtures;
    const lease = {
      onWait: ({ place }: { readonly place: string }) => this.leases.onWait(process, place),
      onTaken: () => this.leases.onTaken(process),
      onLost: () => {
        this.leases.onLost(process);
        runAs(null, () => this.crash(process, RESTART_RETRY_MS));
      },
    };
    return SimulatedBackend.start({
      ...{ loop, process, config, keys, deployment, log: this.#createLog(process), pollMs: POLL_MS },
      dialect: (shared ?? disk).createDialect(process),
      messages,
      onNodeLost: () => this.leases.onNodeLost(process),
      lease: this.#count === 1 || shared !== null ? null : lease,
      hasOrders: hasOrders(plan),
    });
  }

  /** Ends a process like `kill -9`, and starts another one later. Null for the one that serves. */
  crash(process: SimulatedProcess | null, downMs: number): void {
    const dying = process ?? this.#running.at(-1)?.backend.process ?? null;
    if (dying === null || !dying.isAlive) return;
    const wasRunning = this.#running.some(({ backend }) => backend.process === dying);
    this.#world.note(`${dying.name} is killed`);
    if (process === null) mark("fault", "crash");
    this.#end(dying);
    if (wasRunning) runAs(null, () => this.#world.loop.schedule(downMs, () => void this.#keepUp()));
  }

  #end(process: SimulatedProcess): void {
    process.isAlive = false;
    this.leases.onEnded(process);
    this.#running = this.#running.filter(({ backend }) => backend.process !== process);
    this.#world.disk.recover(process);
    this.#started.find((started) => started.process === process)?.end(new NoAnswer(`${process.name} is gone`));
    this.#world.observations.checkAcknowledged();
  }

  /** Stops the serving process like SIGTERM, and starts another one later. */
  async stop(downMs: number): Promise<void> {
    const { loop } = this.#world;
    const serving = this.#running.at(-1);
    if (serving === undefined) return;
    const { process } = serving.backend;
    this.#world.note(`${process.name} stops`);
    mark("fault", "backend stopped");
    this.#running = this.#running.filter((one) => one !== serving);
    this.leases.onStopping(process);
    // Requests that have begun get their answers.
    await loop.sleep(REQUESTS_END_MS);
    this.leases.onReleasing(process);
    const closed = serving.backend.close().then(() => this.leases.checkReleased(process));
    await Promise.race([closed, serving.ended, loop.sleep(STOPPED_MS)]).catch(() => undefined);
    if (process.isAlive) this.#end(process);
    loop.schedule(downMs, () => void this.#keepUp());
  }

  /** Suspends the serving process for a while, like SIGSTOP. */
  pause(forMs: number): void {
    const process = this.#running.at(-1)?.backend.process;
    const untilMs = this.#world.loop.nowMs + forMs;
    // A shorter suspension within a longer one changes nothing.
    if (process === undefined || untilMs <= process.pausedUntilMs) return;
    mark("fault", "backend paused");
    process.pausedUntilMs = untilMs;
  }

  /** Cuts the messages between backends for a while: of all of them, or of the one that serves. */
  cutMessages(isWhole: boolean, forMs: number): void {
    const running = this.#running.map(({ backend }) => backend.process);
    if (running.length > 0) mark("fault", "messages cut");
    this.#world.messages?.cut(isWhole ? running : running.slice(-1), forMs);
  }

  /** Shifts the machine's wall clock. */
  stepClock(byMs: number): void {
    this.wallOffsetMs += byMs;
    this.wallOffsetMaxMs = Math.max(this.wallOffsetMaxMs, this.wallOffsetMs);
    if (this.#running.length > 0) mark("fault", "clock step");
    for (const { process } of this.#started) if (process.isAlive) process.wallOffsetMs = this.wallOffsetMs;
  }

  /** Ends every process; the store keeps what was committed. */
  finish(): void {
    for (const { process } of this.#started) {
      process.isAlive = false;
      this.#world.disk.recover(process);
    }
    for (const backend of this.#opened) backend.destroyConnections();
  }

  beforeStatement(process: SimulatedProcess, sql: string): void {
    if (/^begin/i.test(sql)) this.leases.onBegin(process);
    this.moments.beforeStatement(process, sql);
  }

  afterCommit(process: SimulatedProcess, written: "nothing" | "lease" | "rows"): void {
    if (written === "rows") this.leases.checkWrite(process);
    if (written === "lease") this.leases.checkRenewal(process);
    this.moments.afterCommit(process);
  }

  /** Call it regularly. */
  checkLeases(): void {
    const running = this.#running.map(({ backend }) => backend);
    this.leases.check(running, this.#count > 1 && this.#world.shared === null);
  }

  /** Whether a process may write to the store. */
  holdsStore(process: SimulatedProcess): boolean {
    return this.#count === 1 || this.#world.shared !== null || this.leases.holder === process;
  }

  #createLog({ name }: SimulatedProcess): Log {
    const write = (level: string) => (fields: object, message: string) => {
      const { err, ...rest } = fields as { readonly err?: { readonly message?: string } };
      this.#world.transactions.onLogged(name, message, fields);
      this.#world.note(`${name} ${level}: ${message} ${JSON.stringify(rest)} ${err?.message ?? ""}`);
    };
    const debug = (fields: object, message: string): void => this.#world.transactions.onLogged(name, message, fields);
    return { debug, info: () => undefined, warn: write("warn"), error: write("error") };
  }
}
