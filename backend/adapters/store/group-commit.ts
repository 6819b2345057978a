/** Several calls in one transaction: one wait for the disk instead of one for each call. */
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Connection, Db } from "./connection.ts";
import { isBusy, toStorageError } from "./failures.ts";

interface Job {
  /** Does the work and answers how to tell the caller, once it is committed. */
  readonly run: (db: Db) => Promise<() => void>;
  readonly fail: (cause: unknown) => void;
}

const JOBS_MAX = 500;
/**
 * The thread that waits for the disk is the one that ticks. After a commit it is left alone for so many times what the
 * commit took; calls that come meanwhile share the next one. A call that comes later starts at once.
 */
const REST_FACTOR = 3;
const REST_MAX_MS = 10;
/** A timer is no finer. */
const REST_MIN_MS = 0.2;

/** Each job in a savepoint, so that one that fails takes nothing of the others with it. */
async function runSaved({ run, fail }: Job, db: Db): Promise<() => void> {
  await sql`savepoint job`.execute(db);
  try {
    const done = await run(db);
    await sql`release savepoint job`.execute(db);
    return done;
  } catch (cause) {
    // Where the fault has ended the whole transaction this throws as well, and each job gets one of its own.
    await sql`rollback to savepoint job`.execute(db);
    await sql`release savepoint job`.execute(db);
    if (isBusy(cause)) throw cause;
    return () => fail(toStorageError(cause));
  }
}

/**
 * `transact`: one transaction, again after a lock. The answers come after the commit, in the order of the calls.
 * `settled` waits until nothing is under way. `restMaxMs`: 0 where no disk is waited for.
 */
export function makeGroupCommit(
  transact: <T>(run: (db: Db) => Promise<T>) => Promise<T>,
  restMaxMs = REST_MAX_MS,
): Pick<Connection, "write"> & { settled(): Promise<void> } {
  let waiting: Job[] = [];
  let draining: Promise<void> | null = null;

  async function commit(jobs: readonly Job[]): Promise<void> {
    const [first] = jobs;
    try {
      const answers = await transact(async (db) => {
        if (jobs.length === 1) return [await first!.run(db)];
        const all = [];
        for (const job of jobs) all.push(await runSaved(job, db));
        return all;
      });
      for (const answer of answers) answer();
    } catch (cause) {
      if (jobs.length === 1) first!.fail(cause);
      else for (const job of jobs) await commit([job]);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const jobs = waiting.slice(0, JOBS_MAX);
      waiting = waiting.slice(JOBS_MAX);
      const startedMs = performance.now();
      await commit(jobs);
      const restMs = Math.min(restMaxMs, (performance.now() - startedMs) * REST_FACTOR);
      if (restMs >= REST_MIN_MS) await sleep(restMs);
    }
    draining = null;
  }

  return {
    settled: async () => {
      while (draining !== null) await draining;
    },
    write: (run) =>
      new Promise((resolve, reject) => {
        waiting.push({
          run: async (db) => {
            const value = await run(db);
            return () => resolve(value);
          },
          fail: reject,
        });
        draining ??= drain();
      }),
  };
}
