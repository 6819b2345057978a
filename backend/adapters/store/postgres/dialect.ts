/** PostgreSQL through pg: one connection that writes, several that read. */
import { type Dialect, sql } from "kysely";
import { NamedPostgresDialect } from "../column-names.ts";
import type { DurableDialect, LockOptions } from "../durable-dialect.ts";
import type { Db } from "../schema.ts";
import { AdvisoryLock } from "./advisory-lock.ts";
import { createColumnTypePlugin } from "./column-types.ts";
import { NotifiedFacts } from "./notified-facts.ts";
import { explainOpening } from "./open-error.ts";
import { createPreparingPool, type PoolSettings, toClientConfig } from "./pool.ts";
import { checkSessions } from "./pooler.ts";

/** Calls share the transactions of one writer (group-commit.ts), and thus its waits for the disk. */
const WRITERS = 1;
const READERS = 8;
/**
 * A renewal of the lease must not wait for a claim of sessions, nor for an earlier renewal whose connection is dead.
 */
const CONTROLLERS = 3;
/** A renewal or claim that takes longer is retried. */
const CONTROL_TIMEOUT_MS = 1_000;

/**
 * A statement without a response for this long fails, and its connection is cut. TCP keep-alive detects a dead
 * connection only if no sent data awaits acknowledgment; otherwise that data is retransmitted for a quarter of an hour.
 * Longer than any statement takes on a busy machine; statements that alter tables have no limit.
 */
const ANSWER_MS = 15_000;

/** Shorter than `deadlock_timeout` (1 s), and longer than a commit of another node. */
const LOCK_WAIT_MS = 300;

/** Any number that no other program uses in this database. */
const ALTER_LOCK = 0x61726361;

export interface PostgresDialects {
  readonly dialect: DurableDialect;
  readonly reader: Dialect;
  readonly explain: (error: unknown) => unknown;
}

interface DialectOptions extends PoolSettings {
  readonly connectMs?: number;
}

export interface PostgresBounds {
  /** 15,000 by default. */
  readonly answerMs?: number;
  /** How long a transaction of several calls waits for a lock; 300 by default, 0: no limit. */
  readonly lockWaitMs?: number;
}

/**
 * The dialects of a `postgres:` URL. Resolves once notifications from other processes arrive, or cannot. Throws
 * `PoolerError`.
 */
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
    // PostgreSQL's commits wait for the disk themselves.
    waitForDisk: async () => undefined,
    // https://www.postgresql.org/docs/15/wal-async-commit.html
    commitBehind: "set local synchronous_commit = off",
    boundLockWaits: `set local lock_timeout = ${lockWaitMs}`,
    control: createDialect({
      max: CONTROLLERS,
      // Applies even if the server is stopped and ends no statement.
      answerMs: 2 * CONTROL_TIMEOUT_MS,
      connectMs: CONTROL_TIMEOUT_MS,
      session: {
        statement_timeout: CONTROL_TIMEOUT_MS,
        // A renewal whose connection died before the commit must not block the next ones.
        idle_in_transaction_session_timeout: CONTROL_TIMEOUT_MS,
      },
    }),
    // No answerMs: migrations may take any time.
    alteration: createDialect({ max: 1 }),
    createLock: (options: LockOptions) => new AdvisoryLock(config, options),
    waitToAlter: async (db: Db) => {
      await sql`select pg_advisory_xact_lock(${ALTER_LOCK})`.execute(db);
    },
    close: () => facts.close(),
  });
  const explain = (error: unknown): unknown => explainOpening(error, databaseUrl);
  return { dialect, reader: createDialect({ max: READERS, answerMs }), explain };
}
