/** Timers and turns on simulated time. Nothing else advances the time in a run. */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { nextTick } from "node:process";

/** A simulated operating-system process. Once it is dead, nothing that it does has an effect outside. */
export interface SimulatedProcess {
  readonly name: string;
  isAlive: boolean;
  /** Its timers do not fire before this loop time. */
  pausedUntilMs: number;
  /** How far its wall clock is ahead of the world's. */
  wallOffsetMs: number;
}

export interface Task {
  atMs: number;
  order: number;
  readonly owner: SimulatedProcess | null;
  /** False for a turn of the event loop, without a delay. */
  readonly isTimer: boolean;
  readonly run: () => void;
  isCancelled: boolean;
  /** True once it was due while its process was stopped. */
  isHeld: boolean;
  /** True for the deadline of a signal, which Node forgets together with the signal. */
  readonly isDeadline: boolean;
}

/** Adding a shorter time to a run's would be lost to rounding, and no time would pass. */
const SHORTEST_MS = 1e-6;

/** Lets every ready promise continue before the next task runs, without a turn of the real event loop. */
const drainMicrotasks = (): Promise<void> => new Promise((resolve) => nextTick(resolve));

/** Node's own, which a run replaces. */
const { setImmediate: startRealTurn } = globalThis;
/** Resolves after a turn of Node's own event loop, at whose end Node reports the rejections that no code handles. */
export const finishRealTurn = (): Promise<void> => new Promise((resolve) => startRealTurn(resolve));
/** The time between two of them: a turn takes longer than most tasks. */
const REAL_TURN_MS = 100;

const owners = new AsyncLocalStorage<SimulatedProcess | null>();

/** The simulated process whose code runs now; null for agents, chain and the world itself. */
export const getOwner = (): SimulatedProcess | null => owners.getStore() ?? null;

/** Runs code as a simulated process; its timers and everything that follows belong to it. */
export const runAs = <T>(owner: SimulatedProcess | null, work: () => T): T => owners.run(owner, work);

const isBefore = (one: Task, other: Task): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

export class EventLoop {
  /** Milliseconds since the run began. */
  nowMs = 0;
  /** Tasks that ran so far. */
  steps = 0;
  #order = 0;
  #realTurnMs = 0;
  readonly #heap: Task[] = [];

  /** Runs `run` after `delayMs`, in the asynchronous context of the caller. */
  schedule(delayMs: number, run: () => void, isDeadline = false): Task {
    // Cheaper than `AsyncLocalStorage.snapshot`, which makes a function for each.
    const context = new AsyncResource("SimulatedTask");
    const owner = getOwner();
    const isTimer = delayMs > 0;
    const atMs = this.nowMs + (isTimer ? Math.max(SHORTEST_MS, delayMs) : 0);
    const order = this.#order++;
    const runInScope = (): void => context.runInAsyncScope(run);
    const task: Task = { atMs, order, owner, isTimer, run: runInScope, isCancelled: false, isHeld: false, isDeadline };
    this.#push(task);
    return task;
  }

  /** Waits on simulated time. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.schedule(delayMs, resolve));
  }

  /** Runs task after task until `isDone`, or until the next one is later than `limitMs`. Returns whether it is done. */
  async runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
    for (;;) {
      await drainMicrotasks();
      if (isDone()) return true;
      const task = this.#pop();
      if (task === null || task.atMs > limitMs) {
        if (task !== null) this.#push(task);
        this.nowMs = Math.max(this.nowMs, limitMs);
        return false;
      }
      if (task.atMs - this.#realTurnMs >= REAL_TURN_MS) {
        this.#realTurnMs = task.atMs;
        await finishRealTurn();
      }
      this.nowMs = Math.max(this.nowMs, task.atMs);
      this.#runTask(task);
    }
  }

  /** Runs the due turns but no timers, since modules shared by all runs must not wait for a turn of this one. */
  async finishTurns(): Promise<void> {
    for (;;) {
      await drainMicrotasks();
      const turns = this.#heap.filter(({ isTimer, isCancelled }) => !isTimer && !isCancelled);
      if (turns.length === 0) return;
      for (const turn of turns) {
        turn.isCancelled = true;
        turn.run();
      }
    }
  }

  /** Timers of a process that are neither due nor cancelled. */
  countTimers(owner: SimulatedProcess): number {
    return this.#heap.filter(
      (task) => task.owner === owner && task.isTimer && !task.isCancelled && !task.isDeadline && task.atMs > this.nowMs,
    ).length;
  }

  #runTask(task: Task): void {
    const { owner, isTimer } = task;
    // Turns of a dead process still run, because modules shared by all processes count them.
    if (owner !== null && !owner.isAlive && isTimer) return;
    // A suspended process continues later, as after SIGCONT.
    if (owner?.isAlive && owner.pausedUntilMs > this.nowMs) {
      this.#hold(task, owner.pausedUntilMs);
      return;
    }
    this.steps += 1;
    task.run();
  }

  /** Held tasks run in the order in which they were due, even if the suspension is extended. */
  #hold(task: Task, untilMs: number): void {
    task.atMs = untilMs;
    if (!task.isHeld) task.order = this.#order++;
    task.isHeld = true;
    this.#push(task);
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let index = heap.push(task) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(task, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = task;
  }

  /** The next task that was not cancelled. */
  #pop(): Task | null {
    for (;;) {
      const heap = this.#heap;
      const first = heap[0];
      if (first === undefined) return null;
      const last = heap.pop()!;
      if (heap.length > 0) this.#sink(last);
      if (!first.isCancelled) return first;
    }
  }

  #sink(task: Task): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, task)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = task;
  }
}
