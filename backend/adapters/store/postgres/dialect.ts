/** PostgreSQL through pg: one connection that writes, several that read. */
import { type Dialect, sql } from "kysely";
import { NamedPostgresDialect } from "../column-names.ts";
import type { DurableDialect, LockOptions } from "../durable-dialect.ts";
import type { Db } from "../schema.ts";
import { AdvisoryLock } from "./advisory-lock.ts";
import { createColumnTypePlugin } from "./column-types.ts";
import { createTrackedPool, toClientConfig } from "./pool.ts";
import { WrittenTables } from "./written-tables.ts";

/** Calls share the transactions of one writer (group-commit.ts), so that they share its waits for the disk, too. */
const WRITERS = 1;
const READERS = 8;
/** A renewal of the lease waits for no claim of sessions. */
const CONTROLLERS = 2;
/** A renewal or a claim that waits longer is tried again instead. */
const CONTROL_TIMEOUT_MS = 1_000;

/** Any number that no other program takes in this database. */
const ALTER_LOCK = 0x61726361;

export interface PostgresDialects {
  readonly dialect: DurableDialect;
  readonly reader: Dialect;
}

/** The dialects of a `postgres:` URL. Resolves when the notifications of other processes are heard, or cannot be. */
export async function openPostgres(databaseUrl: string): Promise<PostgresDialects> {
  const config = toClientConfig(databaseUrl);
  const writtenTables = new WrittenTables(config);
  await writtenTables.listen();
  const writer = createTrackedPool(config, WRITERS, writtenTables);
  const dialect: DurableDialect = Object.assign(new NamedPostgresDialect({ pool: writer }), {
    tableVersions: writtenTables,
    plugins: [createColumnTypePlugin()],
    // Its commits wait for the disk themselves.
    waitForDisk: async () => undefined,
    commitBehind: async (db: Db) => {
      // https://www.postgresql.org/docs/15/wal-async-commit.html
      await sql`set local synchronous_commit = off`.execute(db);
    },
    control: new NamedPostgresDialect({
      pool: createTrackedPool(
        { ...config, connectionTimeoutMillis: CONTROL_TIMEOUT_MS, statement_timeout: CONTROL_TIMEOUT_MS },
        CONTROLLERS,
        writtenTables,
      ),
    }),
    createLock: (options: LockOptions) => new AdvisoryLock(config, options),
    waitToAlter: async (db: Db) => {
      await sql`select pg_advisory_xact_lock(${ALTER_LOCK})`.execute(db);
    },
    close: () => writtenTables.close(),
  });
  return { dialect, reader: new NamedPostgresDialect({ pool: createTrackedPool(config, READERS, writtenTables) }) };
}
