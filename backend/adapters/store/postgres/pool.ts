/** Connections to PostgreSQL with prepared statements. */
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { type ClientConfig, type PoolClient, types } from "pg";
import { isPlanOutdated } from "../failures.ts";
import { isOfStandby, openPool, type SessionSettings, waitForAnswer } from "./connections.ts";

/** The driver returns these types as text, since they may exceed 2^53; the store's columns do not. */
const NUMBER_TYPES: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

/** A process that was stopped inside a transaction must not keep its locks for longer. */
const IDLE_IN_TRANSACTION_MS = 2_000;
/** How often the server checks during a statement that its connection still exists. */
const CONNECTION_CHECK_MS = 2_000;

/**
 * A connection without traffic for this long is tested once a second, and dropped after ten tests: the database's
 * machine may have died.
 */
const KEEP_ALIVE_MS = 5_000;

/** Settings of each connection; `databaseUrl` is parsed by the driver, TLS and credentials included. */
export const toClientConfig = (databaseUrl: string): ClientConfig => ({
  connectionString: databaseUrl,
  application_name: "agent-arcade",
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  // Node uses 10 tests at intervals of 1 s. Without an initial delay the system's applies, two hours.
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  types: {
    getTypeParser: ((type: number, format?: "text" | "binary") =>
      NUMBER_TYPES.has(type) ? Number : types.getTypeParser(type, format)) as typeof types.getTypeParser,
  },
});

export const POOL_SESSION: SessionSettings = {
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  // The pools have their own limits; one of the role or the database would end migrations.
  statement_timeout: 0,
  // A statement ends soon after its connection was cut, even while it waits for a lock.
  client_connection_check_interval: CONNECTION_CHECK_MS,
};

/** Statements that PostgreSQL plans once per connection, by name. */
const PREPARED = /^\s*(?:select|insert|update|delete|with)\s/i;
const PREPARED_MAX = 500;

/** The names of prepared statements, which are the same on every connection. */
class StatementNames {
  readonly #names = new Map<string, string>();

  find(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= PREPARED_MAX || !PREPARED.test(sql)) return undefined;
    const name = `s${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

export interface PoolSettings {
  readonly max: number;
  /** A connection is cut if a statement has no response for this long; if left out, never. */
  readonly answerMs?: number;
  readonly session?: SessionSettings;
}

/** One connection in the form that Kysely uses. */
class PreparingClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  readonly #answerMs: number | undefined;
  #isOutdated = false;

  constructor(client: PoolClient, names: StatementNames, answerMs: number | undefined) {
    this.#client = client;
    this.#names = names;
    this.#answerMs = answerMs;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query(): never;
  async query<R>(sql: string = "", parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    const name = this.#names.find(sql);
    const query = { text: sql, values: parameters as unknown[] };
    const answer = this.#client.query(name === undefined ? query : { ...query, name });
    try {
      const isBounded = this.#answerMs !== undefined;
      const result = await (isBounded ? waitForAnswer(this.#client, this.#answerMs, answer) : answer);
      return result as unknown as PostgresQueryResult<R>;
    } catch (error) {
      this.#isOutdated ||= isPlanOutdated(error);
      throw error;
    }
  }

  /** `isDiscarded`: its state after a failure is unknown, so it is closed, as if its statements were outdated. */
  release(isDiscarded = false): void {
    this.#client.release(isDiscarded || this.#isOutdated || isOfStandby(this.#client));
  }
}

/** A pool of at most `max` connections. */
export function createPreparingPool(config: ClientConfig, { max, answerMs, session }: PoolSettings): PostgresPool {
  const { pool, end } = openPool({ ...config, max }, { ...POOL_SESSION, ...session });
  const names = new StatementNames();
  const clients = new WeakMap<PoolClient, PreparingClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client);
      if (known !== undefined) return known;
      const preparing = new PreparingClient(client, names, answerMs);
      clients.set(client, preparing);
      return preparing;
    },
    end,
  };
}
