/** How the repositories reach the database: one transaction a call, which waits for locks without blocking. */
import { setTimeout as sleep } from "node:timers/promises";
import { CamelCasePlugin, Kysely } from "kysely";
import { isBusy, toStorageError } from "./failures.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Db, Schema } from "./schema.ts";
import type { DurableDialect } from "./sqlite.ts";

export interface Connection {
  /** Runs inside each write's transaction before it; an error undoes the write. Set once, when the connection is new. */
  setGuard(guard: (db: Db) => Promise<void>): void;
  /** Several reads of one moment. */
  read<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * All or nothing, one writer at a time; resolves after the commit. `run` may be called again after a lock or another
   * call's error, so it must only use the database.
   */
  write<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * The same without a wait for the disk, which would delay the ticks of this thread: the commit survives the end of the
   * process, and a power cut only after the next `write`. For what costs some play at most, never for money.
   */
  writeBehind<T>(run: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** How long a call waits for another process's lock before it throws `STORAGE_BUSY`. */
  readonly busyWaitMs: number;
  /** How long writes may wait after a commit to share the next one; 10 by default. */
  readonly commitDelayMaxMs?: number | undefined;
  /** Called with every statement, for measurements. */
  readonly onQuery?: ((query: { readonly sql: string; readonly parameters: readonly unknown[] }) => void) | undefined;
}

const RETRY_DELAY_MAX_MS = 25;

/** Retries a transaction while another process holds the lock: SQLite's own wait would block this thread and its ticks. */
async function retryWhileBusy<T>(attempt: () => Promise<T>, busyWaitMs: number): Promise<T> {
  const deadlineMs = performance.now() + busyWaitMs;
  for (let delayMs = 1; ; delayMs = Math.min(delayMs * 2, RETRY_DELAY_MAX_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() + delayMs > deadlineMs) throw toStorageError(error);
      await sleep(delayMs);
    }
  }
}

export function openConnection(
  dialect: DurableDialect,
  { busyWaitMs, commitDelayMaxMs, onQuery }: ConnectionOptions,
): Connection {
  const kysely = new Kysely<Schema>({
    dialect,
    plugins: [new CamelCasePlugin()],
    ...(onQuery && { log: (event) => onQuery({ sql: event.query.sql, parameters: event.query.parameters }) }),
  });
  let guard = async (_: Db): Promise<void> => undefined;
  const guarded =
    <T>(run: (db: Db) => Promise<T>) =>
    async (db: Db): Promise<T> => {
      await guard(db);
      return await run(db);
    };
  const groupCommit = new GroupCommit(
    (run) => retryWhileBusy(() => kysely.transaction().execute(guarded(run)), busyWaitMs),
    commitDelayMaxMs,
  );

  // The only connection is held from before the transaction until after it, so every other write waits for the disk.
  const transactWithoutSync = <T>(run: (db: Db) => Promise<T>): Promise<T> =>
    kysely.connection().execute(async (connection) => {
      dialect.setSynchronous(false);
      try {
        return await connection.transaction().execute(run);
      } finally {
        dialect.setSynchronous(true);
      }
    });

  return {
    setGuard: (next) => {
      guard = next;
    },
    writeBehind: (run) => retryWhileBusy(() => transactWithoutSync(guarded(run)), busyWaitMs),
    read: (run) => retryWhileBusy(() => kysely.transaction().setAccessMode("read only").execute(run), busyWaitMs),
    write: (run) => groupCommit.write(run),
    close: async () => {
      await groupCommit.waitUntilIdle();
      await kysely.destroy();
    },
  };
}
