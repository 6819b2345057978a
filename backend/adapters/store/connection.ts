/** How the repositories reach the database: one transaction a call, waiting for locks without blocking. */
import { setTimeout as sleep } from "node:timers/promises";
import { CamelCasePlugin, Kysely, type Transaction } from "kysely";
import { isBusy, toStorageError } from "./failures.ts";
import { makeGroupCommit } from "./group-commit.ts";
import type { Schema } from "./schema.ts";
import type { DurableDialect } from "./sqlite.ts";

export type Db = Transaction<Schema>;

export interface Connection {
  /** Several reads of one moment. */
  read<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * All or nothing, one writer at a time, answered after the commit. `run` may be called again after a lock or another
   * call's fault: it touches the database alone.
   */
  write<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * The same without a wait for the disk, which would stop the games of this thread: what is committed survives the end
   * of the process, and a power cut from the next `write` on. For what costs some play at most, never for money.
   */
  writeBehind<T>(run: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** How long a call waits for another process's lock before it throws `STORAGE_BUSY`. */
  readonly busyWaitMs: number;
  /** How long writes may be held back after a commit, to share the next one; 10 unless told. */
  readonly restMaxMs?: number | undefined;
  /** Told of every statement, for measuring. */
  readonly onQuery?: ((query: { readonly sql: string; readonly parameters: readonly unknown[] }) => void) | undefined;
}

const LONGEST_PAUSE_MS = 25;

export function makeConnection(
  dialect: DurableDialect,
  { busyWaitMs, restMaxMs, onQuery }: ConnectionOptions,
): Connection {
  const kysely = new Kysely<Schema>({
    dialect,
    plugins: [new CamelCasePlugin()],
    ...(onQuery && { log: (event) => onQuery({ sql: event.query.sql, parameters: event.query.parameters }) }),
  });

  // SQLite's own busy handler sleeps inside the call and would stop every game of the process with it.
  const whenFree = async <T>(attempt: () => Promise<T>): Promise<T> => {
    const deadlineMs = performance.now() + busyWaitMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error) || performance.now() + pauseMs > deadlineMs) throw toStorageError(error);
        await sleep(pauseMs);
      }
    }
  };

  const writes = makeGroupCommit((run) => whenFree(() => kysely.transaction().execute(run)), restMaxMs);

  // The one connection is held from before the transaction until after it, so no other write is without its wait.
  const transactBehind = <T>(run: (db: Db) => Promise<T>): Promise<T> =>
    kysely.connection().execute(async (held) => {
      dialect.waitForDisk(false);
      try {
        return await held.transaction().execute(run);
      } finally {
        dialect.waitForDisk(true);
      }
    });

  return {
    writeBehind: (run) => whenFree(() => transactBehind(run)),
    read: (run) => whenFree(() => kysely.transaction().setAccessMode("read only").execute(run)),
    write: writes.write,
    close: async () => {
      await writes.settled();
      await kysely.destroy();
    },
  };
}
