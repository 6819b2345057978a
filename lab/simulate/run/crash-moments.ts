/** Ends processes at the n-th moment of a kind, as the plan of the run decides. */
import type { SimulatedProcess } from "../world/event-loop.ts";
import { mark } from "./coverage.ts";
import type { Fault, FaultPlan } from "./faults.ts";

interface Surroundings {
  readonly plan: FaultPlan;
  readonly isQuiet: boolean;
}

type Crash = (process: SimulatedProcess, downMs: number) => void;

export class CrashMoments {
  readonly #world: Surroundings;
  readonly #crash: Crash;
  /** The faults that have occurred, since the commit before a kill is repeated. */
  readonly #come = new Set<Fault>();
  #commits = 0;
  #statements = 0;
  #sends = 0;
  #answers = 0;

  constructor(world: Surroundings, crash: Crash) {
    this.#world = world;
    this.#crash = crash;
  }

  beforeStatement(process: SimulatedProcess, sql: string): void {
    this.#statements += 1;
    if (/^commit/i.test(sql)) this.#crashAt("crash before commit", this.#commits + 1, process);
    this.#crashAt("crash at statement", this.#statements, process);
  }

  afterCommit(process: SimulatedProcess): void {
    this.#commits += 1;
    this.#crashAt("crash at commit", this.#commits, process);
  }

  /** Call it when a process has sent a transaction to the node. */
  afterSend(process: SimulatedProcess): void {
    this.#sends += 1;
    this.#crashAt("crash at send", this.#sends, process);
  }

  /** Call it when a process has sent an answer to an agent. */
  afterAnswer(process: SimulatedProcess): void {
    this.#answers += 1;
    this.#crashAt("crash at answer", this.#answers, process);
  }

  #crashAt(
    kind: Extract<Fault, { readonly count: number; readonly downMs: number }>["kind"],
    count: number,
    process: SimulatedProcess,
  ): void {
    const { plan, isQuiet } = this.#world;
    if (isQuiet) return;
    for (const fault of plan)
      if (fault.kind === kind && fault.count === count && !this.#come.has(fault)) {
        this.#come.add(fault);
        mark("fault", kind);
        this.#crash(process, fault.downMs);
      }
  }
}
