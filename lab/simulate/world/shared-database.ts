/**
 * Adds PostgreSQL's behavior to the disk of a run for backends that share it: advisory locks that end with their
 * connection, notifications after the commit, and outages. Transactions are serializable, since one runs at a time.
 */
import type { DurableDialect, Lock, LockOptions } from "../../../backend/adapters/store/durable-dialect.ts";
import { FactVersions } from "../../../backend/adapters/store/facts.ts";
import type { StoreFact } from "../../../backend/ports/store/facts.ts";
import type { Random } from "../../../testing/random.ts";
import type { Disk } from "./disk.ts";
import { type EventLoop, runAs, type SimulatedProcess } from "./event-loop.ts";

const NOTIFIED_WITHIN_MS = 12;
const POLL_MS = 500;
/** As in `AdvisoryLock`: after this long without an answer, a lock does not count as held. */
const HELD_MS = 2_000;
/** The server ends a connection that is idle for this long. */
const IDLE_MS = 3_000;

interface Surroundings {
  readonly loop: EventLoop;
  readonly disk: Disk;
  readonly random: Random;
  /** Whether no process reaches the database. */
  readonly isAway: () => boolean;
}

interface Holder {
  readonly process: SimulatedProcess;
  answeredMs: number;
}

export class SharedDatabase {
  readonly #world: Surroundings;
  readonly #facts = new Map<SimulatedProcess, NotifiedFacts>();
  readonly #holders = new Map<number, Holder>();

  constructor(world: Surroundings) {
    this.#world = world;
  }

  createDialect(process: SimulatedProcess): DurableDialect {
    const { disk, isAway } = this.#world;
    const facts = new NotifiedFacts(isAway, (published) => this.#notify(process, published));
    this.#facts.set(process, facts);
    return {
      ...disk.createDialect(process),
      facts,
      createLock: (options) => new SimulatedLock(options, (isReleased) => this.#ask(process, options.key, isReleased)),
    };
  }

  /** Ends every connection, and thereby the locks. */
  failOver(): void {
    this.#holders.clear();
  }

  #notify(from: SimulatedProcess, published: readonly StoreFact[]): void {
    const { loop, random } = this.#world;
    for (const [process, facts] of this.#facts)
      if (process !== from && process.isAlive)
        runAs(process, () => loop.schedule(random.between(0, NOTIFIED_WITHIN_MS), () => facts.receive(published)));
  }

  /** Whether a process holds the lock now; null if the database is unreachable. */
  #ask(process: SimulatedProcess, key: number, isReleased: boolean): boolean | null {
    const { loop, isAway } = this.#world;
    if (isAway()) return null;
    const holder = this.#holders.get(key);
    const isFree = holder === undefined || !holder.process.isAlive || loop.nowMs - holder.answeredMs >= IDLE_MS;
    if (isReleased) {
      if (holder?.process === process) this.#holders.delete(key);
      return false;
    }
    if (!isFree && holder.process !== process) return false;
    this.#holders.set(key, { process, answeredMs: loop.nowMs });
    return true;
  }
}

/** The facts of one process. Those that another process publishes arrive after its commit. */
class NotifiedFacts extends FactVersions {
  readonly #isAway: () => boolean;
  readonly #publish: (facts: readonly StoreFact[]) => void;

  constructor(isAway: () => boolean, publish: (facts: readonly StoreFact[]) => void) {
    super();
    this.#isAway = isAway;
    this.#publish = publish;
  }

  override count(facts: Iterable<StoreFact>): void {
    const published = [...facts];
    super.count(published);
    this.#publish(published);
  }

  receive(facts: readonly StoreFact[]): void {
    super.count(facts);
  }

  /** While notifications cannot arrive, nothing is kept. */
  override getVersion(fact: StoreFact): number {
    if (this.#isAway()) this.countAll();
    return super.getVersion(fact);
  }
}

class SimulatedLock implements Lock {
  readonly #clock: LockOptions["clock"];
  readonly #ask: (isReleased: boolean) => boolean | null;
  #hasLock = false;
  #answeredMs = Number.NEGATIVE_INFINITY;
  #cancel = (): void => undefined;

  constructor({ clock }: LockOptions, ask: (isReleased: boolean) => boolean | null) {
    this.#clock = clock;
    this.#ask = ask;
    this.#poll();
  }

  isHeld(): boolean {
    return this.#hasLock && this.#clock.monotonicMs() - this.#answeredMs < HELD_MS;
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#hasLock = false;
    this.#ask(true);
  }

  #poll(): void {
    const answer = this.#ask(false);
    this.#hasLock = answer === true;
    if (answer !== null) this.#answeredMs = this.#clock.monotonicMs();
    this.#cancel = this.#clock.after(POLL_MS, () => this.#poll());
  }
}
