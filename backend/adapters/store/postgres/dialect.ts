/** PostgreSQL through pg: one connection that writes, several that read. */
import { type Dialect, sql } from "kysely";
import { NamedPostgresDialect } from "../column-names.ts";
import type { DurableDialect, LockOptions } from "../durable-dialect.ts";
import type { Db } from "../schema.ts";
import { AdvisoryLock } from "./advisory-lock.ts";
import { createColumnTypePlugin } from "./column-types.ts";
import { NotifiedFacts } from "./notified-facts.ts";
import { createPreparingPool, type PoolSettings, toClientConfig } from "./pool.ts";
import { checkSessions } from "./pooler.ts";

/** Calls share the transactions of one writer (group-commit.ts), so that they share its waits for the disk, too. */
const WRITERS = 1;
const READERS = 8;
/** A renewal of the lease waits for no claim of sessions, nor for an earlier one whose connection is dead. */
const CONTROLLERS = 3;
/** A renewal or a claim that waits longer is tried again instead. */
const CONTROL_TIMEOUT_MS = 1_000;

/**
 * A statement without an answer for so long fails, and its connection is cut. TCP keep-alive finds a dead connection only
 * where nothing waits for its acknowledgment: what was sent is sent again for a quarter of an hour otherwise. Longer than
 * any statement on a busy machine; those that alter tables have no bound.
 */
const ANSWER_MS = 15_000;

/** Less than `deadlock_timeout` (1 s), and longer than a commit of another node takes. */
const LOCK_WAIT_MS = 300;

/** Any number that no other program takes in this database. */
const ALTER_LOCK = 0x61726361;

export interface PostgresDialects {
  readonly dialect: DurableDialect;
  readonly reader: Dialect;
}

interface DialectOptions extends PoolSettings {
  readonly connectMs?: number;
}

export interface PostgresBounds {
  /** 15,000 when left out. */
  readonly answerMs?: number;
  /** How long a transaction of several calls waits for a lock; 300 when left out, 0: without a bound. */
  readonly lockWaitMs?: number;
}

/** The dialects of a `postgres:` URL. Resolves when the notifications of other processes are heard, or cannot be. Throws `PoolerError`. */
export async function openPostgres(
  databaseUrl: string,
  { answerMs = ANSWER_MS, lockWaitMs = LOCK_WAIT_MS }: PostgresBounds = {},
): Promise<PostgresDialects> {
  const config = toClientConfig(databaseUrl);
  await checkSessions(config);
  const facts = new NotifiedFacts(config);
  await facts.listen();
  const createDialect = ({ connectMs, ...bounds }: DialectOptions): Dialect => {
    const connecting = connectMs === undefined ? {} : { connectionTimeoutMillis: connectMs };
    return new NamedPostgresDialect({ pool: createPreparingPool({ ...config, ...connecting }, bounds) });
  };
  const dialect: DurableDialect = Object.assign(createDialect({ max: WRITERS, answerMs }), {
    facts,
    plugins: [createColumnTypePlugin()],
    // Its commits wait for the disk themselves.
    waitForDisk: async () => undefined,
    // https://www.postgresql.org/docs/15/wal-async-commit.html
    commitBehind: "set local synchronous_commit = off",
    boundLockWaits: `set local lock_timeout = ${lockWaitMs}`,
    control: createDialect({
      max: CONTROLLERS,
      // Also when the server is stopped and ends no statement.
      answerMs: 2 * CONTROL_TIMEOUT_MS,
      connectMs: CONTROL_TIMEOUT_MS,
      session: {
        statement_timeout: CONTROL_TIMEOUT_MS,
        // A renewal whose connection died before its commit must not keep the next ones waiting.
        idle_in_transaction_session_timeout: CONTROL_TIMEOUT_MS,
      },
    }),
    // No answerMs: migrations take as long as they need.
    alteration: createDialect({ max: 1 }),
    createLock: (options: LockOptions) => new AdvisoryLock(config, options),
    waitToAlter: async (db: Db) => {
      await sql`select pg_advisory_xact_lock(${ALTER_LOCK})`.execute(db);
    },
    close: () => facts.close(),
  });
  return { dialect, reader: createDialect({ max: READERS, answerMs }) };
}
