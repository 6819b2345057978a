/** Several calls in one transaction: one wait for the disk instead of one for each call. */
import { setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { isBusy, toStorageError } from "./failures.ts";
import type { Db } from "./schema.ts";

interface Job {
  /** Does the work and returns the function that resolves the caller's promise, to be called after the commit. */
  readonly run: (db: Db) => Promise<() => void>;
  readonly fail: (cause: unknown) => void;
}

/** Runs one transaction, and runs it again after a lock. */
type Transact = <T>(run: (db: Db) => Promise<T>) => Promise<T>;

const JOBS_MAX = 500;
/**
 * The thread that waits for the disk also runs the ticks. After a commit it stays free for this many times the length
 * of the commit; calls that arrive meanwhile share the next one. A call that arrives later starts at once.
 */
const COMMIT_DELAY_FACTOR = 3;
const COMMIT_DELAY_MAX_MS = 10;
/** The resolution of a timer. */
const COMMIT_DELAY_MIN_MS = 0.2;

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

/** Commits calls together. Callers get their results after the commit, in the order of their calls. */
export class GroupCommit {
  readonly #transact: Transact;
  readonly #commitDelayMaxMs: number;
  #waiting: Job[] = [];
  #draining: Promise<void> | null = null;

  /** `commitDelayMaxMs`: 0 where no disk has to be waited for. */
  constructor(transact: Transact, commitDelayMaxMs = COMMIT_DELAY_MAX_MS) {
    this.#transact = transact;
    this.#commitDelayMaxMs = commitDelayMaxMs;
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

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.slice(0, JOBS_MAX);
      this.#waiting = this.#waiting.slice(JOBS_MAX);
      const startedMs = performance.now();
      await this.#commit(jobs);
      const delayMs = Math.min(this.#commitDelayMaxMs, (performance.now() - startedMs) * COMMIT_DELAY_FACTOR);
      if (delayMs >= COMMIT_DELAY_MIN_MS) await sleep(delayMs);
    }
    this.#draining = null;
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const [first] = jobs;
    try {
      const notifications = await this.#transact(async (db) => {
        if (jobs.length === 1) return [await first!.run(db)];
        const all = [];
        for (const job of jobs) all.push(await runInSavepoint(job, db));
        return all;
      });
      for (const notify of notifications) notify();
    } catch (cause) {
      if (jobs.length === 1) first!.fail(cause);
      else for (const job of jobs) await this.#commit([job]);
    }
  }
}
