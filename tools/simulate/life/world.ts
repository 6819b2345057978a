/** Everything of one life besides its agents: time, chain, disk, backends and what was observed. */
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Log } from "../../../backend/ports/system.ts";
import { Chain } from "../chain/chain.ts";
import { Disk } from "../world/disk.ts";
import { EventLoop, runAs, type SimulatedProcess } from "../world/event-loop.ts";
import { Random } from "../world/random.ts";
import { SimulatedBackend } from "./backend.ts";
import type { FaultPlan, WindowKind } from "./faults.ts";
import { NodeLink } from "./node-link.ts";
import { Observations } from "./observations.ts";
import type { Scenery } from "./scenery.ts";
import { Trace, Violation } from "./trace.ts";

const POLL_MS = 2_000;
const BLOCK_MS = 2_000;
const COMMIT_MS = 1;
/** How long an agent waits for an answer; longer than any wait that the service promises to end. */
const ANSWER_WITHIN_MS = 30_000;
const RESTART_RETRY_MS = 500;

/** The connection broke, or no answer came: the agent cannot know what happened. */
class NoAnswer extends Error {}

interface Running {
  readonly backend: SimulatedBackend;
  readonly ended: Promise<never>;
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
  };
  violation: Violation | null = null;
  /** True once no fault is under way any more. */
  isQuiet = false;
  commits = 0;
  statements = 0;
  #running: Running | null = null;
  readonly #processes: SimulatedProcess[] = [];
  #crash: (process: SimulatedProcess) => void = () => undefined;
  #wallOffsetMs = 0;
  #wallOffsetMaxMs = 0;

  constructor(scenery: Scenery, seed: number, plan: FaultPlan, isTraceKept: boolean) {
    const random = new Random(seed);
    this.scenery = scenery;
    this.plan = plan;
    this.trace = new Trace(isTraceKept);
    this.randoms = { agents: random.fork(), chain: random.fork(), network: random.fork(), product: random.fork() };
    const { contracts, state, startMs } = scenery;
    this.chain = new Chain(contracts, this.randoms.chain, { time: Math.floor(startMs / 1000), state });
    this.node = new NodeLink({
      ...{ chain: this.chain, chainId: this.deployment.chainId, loop: this.loop, random: this.randoms.network },
      isActive: (kind) => this.isActive(kind),
      note: (text) => this.note(text),
    });
    this.disk = new Disk(scenery.template, {
      beforeStatement: (process) => this.#beforeStatement(process),
      afterCommit: (process) => this.#afterCommit(process),
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
    return this.scenery.startMs + this.loop.nowMs + this.#wallOffsetMaxMs;
  }

  get backend(): SimulatedBackend | null {
    return this.#running?.backend ?? null;
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
    return this.plan.some(
      (fault) => fault.kind === kind && "forMs" in fault && nowMs >= fault.atMs && nowMs < fault.atMs + fault.forMs,
    );
  }

  /** Mines blocks for as long as the life goes on. */
  mineBlocks(): void {
    this.loop.schedule(BLOCK_MS, () => {
      this.chain.baseFee = this.isActive("fees risen") ? 60n * 10n ** 9n : 10n ** 9n;
      const block = this.chain.mine(this.unixSeconds);
      if (block.transactions.length > 0)
        this.note(
          `block ${block.number}: ${block.transactions.map(({ hash, revert }) => `${hash} ${revert?.errorName ?? "ok"}`).join(", ")}`,
        );
      this.mineBlocks();
    });
  }

  /** Starts a backend, again and again until it runs. */
  async startBackend(): Promise<void> {
    for (;;) {
      const process = {
        name: `backend-${this.#processes.length + 1}`,
        isAlive: true,
        pausedUntilMs: 0,
        wallOffsetMs: this.#wallOffsetMs,
      };
      this.#processes.push(process);
      this.note(`${process.name} starts`);
      let isEnded = false;
      const ended = new Promise<never>((_, reject) => {
        this.#crash = (dying) => {
          if (dying !== process || isEnded) return;
          isEnded = true;
          reject(new NoAnswer(`${process.name} is gone`));
        };
      });
      ended.catch(() => undefined);
      const { loop, disk, deployment } = this;
      const { config, keys } = this.scenery;
      const options = { loop, disk, process, config, keys, deployment, log: this.#createLog(process), pollMs: POLL_MS };
      const started = SimulatedBackend.start({ ...options, onLost: null });
      try {
        this.#running = { backend: await Promise.race([started, ended]), ended };
        this.note(`${process.name} runs`);
        return;
      } catch (error) {
        this.note(`${process.name} could not start: ${(error as Error).message}`);
        if (process.isAlive) this.#end(process);
        await this.loop.sleep(RESTART_RETRY_MS);
      }
    }
  }

  /** Ends the backend as `kill -9` does, and starts another one later. */
  crash(process: SimulatedProcess | null = this.backend?.process ?? null, downMs = RESTART_RETRY_MS): void {
    if (process === null || !process.isAlive) return;
    const wasRunning = this.#running?.backend.process === process;
    this.note(`${process.name} is killed`);
    this.#end(process);
    if (!wasRunning) return;
    this.#running = null;
    runAs(null, () => this.loop.schedule(downMs, () => void this.startBackend()));
  }

  #end(process: SimulatedProcess): void {
    process.isAlive = false;
    this.disk.recover(process);
    this.#crash(process);
    this.observations.checkAcknowledged();
  }

  /** Ends every process without a trace in modules that the next life shares. */
  async finish(): Promise<void> {
    for (const process of this.#processes) process.isAlive = false;
    await this.loop.finishTurns();
  }

  /** Moves the wall clock of the machine. */
  stepClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
    this.#wallOffsetMaxMs = Math.max(this.#wallOffsetMaxMs, this.#wallOffsetMs);
    const { backend } = this;
    if (backend !== null) backend.process.wallOffsetMs = this.#wallOffsetMs;
  }

  /** A request of an agent. `onAnswer` is called when the service answers, whether or not the answer arrives. */
  async request<T>(
    name: string,
    work: (backend: SimulatedBackend) => Promise<T>,
    onAnswer: (answer: T) => void = () => undefined,
  ): Promise<T> {
    const { network } = this.randoms;
    await this.loop.sleep(network.between(1, 20));
    const running = this.#running;
    if (running === null) throw new NoAnswer("there is no backend");
    let isAnswered = false;
    const late = new Promise<never>((_, reject) => {
      this.loop.schedule(ANSWER_WITHIN_MS, () => {
        const { isAlive, pausedUntilMs } = running.backend.process;
        const wasPaused = pausedUntilMs > this.loop.nowMs - ANSWER_WITHIN_MS;
        if (!isAnswered && isAlive && !wasPaused) this.fail(new Violation("every wait ends", `no answer to ${name}`));
        reject(new NoAnswer(`no answer to ${name}`));
      });
    });
    late.catch(() => undefined);
    try {
      const answer = await Promise.race([work(running.backend), running.ended, late]);
      isAnswered = true;
      onAnswer(answer);
      this.note(`${name}: answered`);
      await this.loop.sleep(network.between(1, 20));
      if (this.isActive("answers lost") && network.chance(0.5)) throw new NoAnswer(`the answer to ${name} was lost`);
      return answer;
    } catch (error) {
      isAnswered = true;
      const { code = (error as Error).message } = error as { readonly code?: string };
      this.note(`${name}: ${code}`);
      throw error;
    }
  }

  #beforeStatement(process: SimulatedProcess): void {
    this.statements += 1;
    this.#crashAt("crash at statement", this.statements, process);
  }

  #afterCommit(process: SimulatedProcess): void {
    this.commits += 1;
    this.#crashAt("crash at commit", this.commits, process);
  }

  #crashAt(kind: "crash at statement" | "crash at commit", count: number, process: SimulatedProcess): void {
    for (const fault of this.plan)
      if (fault.kind === kind && fault.count === count && !this.isQuiet) this.crash(process, fault.downMs);
  }

  #createLog({ name }: SimulatedProcess): Log {
    const write = (level: string) => (fields: object, message: string) => {
      const { err, ...rest } = fields as { readonly err?: { readonly stack?: string; readonly message?: string } };
      this.note(`${name} ${level}: ${message} ${JSON.stringify(rest)} ${err?.message ?? ""}`);
    };
    return { debug: () => undefined, info: () => undefined, warn: write("warn"), error: write("error") };
  }
}
