/** Runs several calls in one transaction, with one wait for the disk instead of one per call. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { resumeInTurns } from "../system/turns.ts";
import { createUnconfirmedError, isBusy, isLockWaitOver, isStoreAway, toStorageError } from "./failures.ts";
import type { Db } from "./schema.ts";

/** Does the work of calls of one kind, and returns their results in the order of `calls`. */
export type RunCalls<Call, Result> = (db: Db, calls: readonly Call[]) => Promise<readonly Result[]>;

interface Kind {
  /** Kinds run in ascending order of this number. */
  readonly place: number;
  readonly runCalls: RunCalls<never, unknown>;
}

interface Job {
  readonly kind: Kind;
  readonly call: never;
  readonly resolve: (result: unknown) => void;
  readonly fail: (cause: unknown) => void;
}

/** Calls that share only the transaction. */
const SINGLE: Kind = {
  place: 0,
  runCalls: async (db, calls: readonly ((db: Db) => Promise<unknown>)[]) => {
    const results: unknown[] = [];
    for (const run of calls) results.push(await run(db));
    return results;
  },
};

/** Runs one transaction, and repeats it after a lock; `isShared`: each of its jobs can also run separately. */
type Transact = <T>(run: (db: Db) => Promise<T>, isShared: boolean) => Promise<T>;

/** The maximum number of calls in one transaction, which takes a few milliseconds of this thread. */
const JOBS_MAX = 100;

const SAVEPOINT = CompiledQuery.raw("savepoint job");
const RELEASE = CompiledQuery.raw("release savepoint job");
const ROLLBACK = CompiledQuery.raw("rollback to savepoint job");

/** Runs the jobs and returns the functions that resolve the callers' promises, to be called after the commit. */
type RunJobs = (jobs: readonly Job[], db: Db) => Promise<readonly (() => void)[]>;

/** Without savepoints: most jobs do not fail, and a savepoint takes two more statements. */
const runTogether: RunJobs = async (jobs, db) => {
  const notifications = new Map<Job, () => void>();
  const byKind = [...Map.groupBy(jobs, ({ kind }) => kind)].toSorted(([a], [b]) => a.place - b.place);
  for (const [{ runCalls }, ofKind] of byKind) {
    const results = await runCalls(
      db,
      ofKind.map(({ call }) => call),
    );
    // safeguard: answer-after-commit
    for (const [i, job] of ofKind.entries()) notifications.set(job, () => job.resolve(results[i]));
  }
  return jobs.map((job) => notifications.get(job)!);
};

/** Runs each job in a savepoint, so that a failing job does not undo the others. */
const runInSavepoints: RunJobs = async (jobs, db) => {
  const notifications: (() => void)[] = [];
  for (const job of jobs) {
    await db.executeQuery(SAVEPOINT);
    try {
      const done = await runTogether([job], db);
      await db.executeQuery(RELEASE);
      notifications.push(...done);
    } catch (cause) {
      // If the error has ended the whole transaction, this throws as well and each job gets its own transaction.
      await db.executeQuery(ROLLBACK);
      await db.executeQuery(RELEASE);
      if (isBusy(cause)) throw cause;
      notifications.push(() => job.fail(toStorageError(cause)));
    }
  }
  return notifications;
};

export interface GroupCommitOptions {
  /** Resolves when the commit survives a power cut; must not block the thread. */
  readonly waitForDisk: () => Promise<void>;
  /** Delays the first call so that others can join it; by default until the end of this turn of the event loop. */
  readonly beforeFirst?: () => Promise<void>;
  /** The maximum number of calls in one transaction; 100 by default. */
  readonly jobsMax?: number;
}

/** Commits calls together. Callers get their results after the commit is on the disk, in the order of their calls. */
export class GroupCommit {
  readonly #transact: Transact;
  readonly #waitForDisk: () => Promise<void>;
  readonly #beforeFirst: () => Promise<void>;
  readonly #jobsMax: number;
  #kinds = 0;
  #waiting: Job[] = [];
  #draining: Promise<void> | null = null;

  constructor(
    transact: Transact,
    { waitForDisk, beforeFirst = () => nextTurn(), jobsMax = JOBS_MAX }: GroupCommitOptions,
  ) {
    this.#transact = transact;
    this.#waitForDisk = waitForDisk;
    this.#beforeFirst = beforeFirst;
    this.#jobsMax = jobsMax;
  }

  write<T>(run: (db: Db) => Promise<T>): Promise<T> {
    return this.#add(SINGLE, run) as Promise<T>;
  }

  /**
   * Defines a kind of call whose calls in a transaction run together, after the single ones and in the order in which
   * kinds are defined: two processes that lock rows by such calls lock them in the same order.
   */
  define<Call, Result>(runCalls: RunCalls<Call, Result>): (call: Call) => Promise<Result> {
    this.#kinds += 1;
    const kind: Kind = { place: this.#kinds, runCalls };
    return (call) => this.#add(kind, call) as Promise<Result>;
  }

  #add(kind: Kind, call: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ kind, call: call as never, resolve, fail: reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no call is waiting and no commit is running. */
  async waitUntilIdle(): Promise<void> {
    while (this.#draining !== null) await this.#draining;
  }

  /** Calls of one turn of the event loop share a transaction, as do those that arrive during another one. */
  async #drain(): Promise<void> {
    await this.#beforeFirst();
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.slice(0, this.#jobsMax);
      this.#waiting = this.#waiting.slice(this.#jobsMax);
      await this.#commit(jobs);
    }
    this.#draining = null;
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const notifications = await this.#transactAll(jobs);
    if (notifications.length === 0) return;
    try {
      await this.#waitForDisk();
    } catch (cause) {
      for (const { fail } of jobs) fail(createUnconfirmedError(cause));
      return;
    }
    for (const notify of notifications) resumeInTurns(notify);
  }

  /**
   * First runs the jobs without savepoints. An error rolls back all of them: they run again, each in a savepoint, and
   * after an error of the transaction itself each in a separate transaction. If a lock wait timed out, they are not
   * repeated with savepoints. Returns the functions that settle the callers' promises.
   */
  async #transactAll(jobs: readonly Job[]): Promise<readonly (() => void)[]> {
    for (const runJobs of jobs.length > 1 ? [runTogether, runInSavepoints] : []) {
      const outcome = await this.#tryAll(jobs, runJobs);
      if (outcome === "apart") break;
      if (outcome !== "again") return outcome;
    }
    const notifications: (() => void)[] = [];
    for (const job of jobs) {
      try {
        notifications.push(...(await this.#transact((db) => runTogether([job], db), false)));
      } catch (cause) {
        job.fail(cause);
      }
    }
    return notifications;
  }

  /** `again` if nothing was committed and the jobs can run again, `apart` if they must not share a transaction. */
  async #tryAll(jobs: readonly Job[], runJobs: RunJobs): Promise<readonly (() => void)[] | "again" | "apart"> {
    try {
      return await this.#transact((db) => runJobs(jobs, db), true);
    } catch (error) {
      if (error instanceof Error && isLockWaitOver(error.cause)) return "apart";
      if (!isStoreAway(error)) return "again";
      for (const { fail } of jobs) fail(error);
      return [];
    }
  }
}
