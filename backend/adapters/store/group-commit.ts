/** Several calls in one transaction: one wait for the disk instead of one for each call. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { resumeInTurns } from "../turns.ts";
import { createUnconfirmedError, isBusy, isLockWaitOver, isStoreAway, toStorageError } from "./failures.ts";
import type { Db } from "./schema.ts";

interface Job {
  /** Does the work and returns the function that resolves the caller's promise, to be called after the commit. */
  readonly run: (db: Db) => Promise<() => void>;
  readonly fail: (cause: unknown) => void;
}

/** Runs one transaction, and runs it again after a lock; `isShared`: its jobs can also run each in one of its own. */
type Transact = <T>(run: (db: Db) => Promise<T>, isShared: boolean) => Promise<T>;

/** The most calls of one transaction, which takes a few milliseconds of this thread. */
const JOBS_MAX = 100;

const SAVEPOINT = CompiledQuery.raw("savepoint job");
const RELEASE = CompiledQuery.raw("release savepoint job");
const ROLLBACK = CompiledQuery.raw("rollback to savepoint job");

/** Runs a job in a savepoint, so that a failing job undoes nothing of the others. */
async function runInSavepoint({ run, fail }: Job, db: Db): Promise<() => void> {
  await db.executeQuery(SAVEPOINT);
  try {
    const notify = await run(db);
    await db.executeQuery(RELEASE);
    return notify;
  } catch (cause) {
    // Where the error has ended the whole transaction, this throws as well and each job gets its own transaction.
    await db.executeQuery(ROLLBACK);
    await db.executeQuery(RELEASE);
    if (isBusy(cause)) throw cause;
    return () => fail(toStorageError(cause));
  }
}

/** How the jobs of one transaction are kept apart: most do not fail, and a savepoint takes two more statements. */
type RunJob = (job: Job, db: Db) => Promise<() => void>;
const runBare: RunJob = ({ run }, db) => run(db);

export interface GroupCommitOptions {
  /** Resolves when what is committed survives a power cut; it must not keep the thread. */
  readonly waitForDisk: () => Promise<void>;
  /** What a first call waits for, so that others join it; left out: the end of this turn of the event loop. */
  readonly beforeFirst?: () => Promise<void>;
  /** The most calls of one transaction; 100 when left out. */
  readonly jobsMax?: number;
}

/** Commits calls together. Callers get their results after the commit is on the disk, in the order of their calls. */
export class GroupCommit {
  readonly #transact: Transact;
  readonly #waitForDisk: () => Promise<void>;
  readonly #beforeFirst: () => Promise<void>;
  readonly #jobsMax: number;
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
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        run: async (db) => {
          const value = await run(db);
          return () => resolve(value);
        },
        fail: reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no call waits and no commit runs. */
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
   * Runs the jobs without savepoints first. An error undoes all of them: they run again, each in a savepoint, and after
   * an error of the transaction itself each in a transaction of its own. A wait for a lock that was too long is not
   * begun again with savepoints. Returns the functions that settle the callers' promises.
   */
  async #transactAll(jobs: readonly Job[]): Promise<readonly (() => void)[]> {
    for (const runJob of jobs.length > 1 ? [runBare, runInSavepoint] : []) {
      const outcome = await this.#tryAll(jobs, runJob);
      if (outcome === "apart") break;
      if (outcome !== "again") return outcome;
    }
    const notifications: (() => void)[] = [];
    for (const job of jobs) {
      try {
        notifications.push(await this.#transact((db) => runBare(job, db), false));
      } catch (cause) {
        job.fail(cause);
      }
    }
    return notifications;
  }

  /** `again` where nothing was committed and the jobs can run again, `apart` where they must not share a transaction. */
  async #tryAll(jobs: readonly Job[], runJob: RunJob): Promise<readonly (() => void)[] | "again" | "apart"> {
    try {
      return await this.#transact(async (db) => {
        const notifications = [];
        for (const job of jobs) notifications.push(await runJob(job, db));
        return notifications;
      }, true);
    } catch (error) {
      if (error instanceof Error && isLockWaitOver(error.cause)) return "apart";
      if (!isStoreAway(error)) return "again";
      for (const { fail } of jobs) fail(error);
      return [];
    }
  }
}
