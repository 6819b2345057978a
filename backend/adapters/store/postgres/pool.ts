/** Connections to PostgreSQL: prepared statements, and which tables a transaction has written. */
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { type ClientConfig, Pool, type PoolClient, types } from "pg";
import { isPlanOutdated } from "../failures.ts";
import { findWrittenTables } from "../table-versions.ts";
import type { WrittenTables } from "./written-tables.ts";

/** Types whose values the driver returns as text, since they may exceed 2^53; the store's columns do not. */
const NUMBER_TYPES: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

/** A process that was stopped inside a transaction must not keep its locks from the others for longer. */
const IDLE_IN_TRANSACTION_MS = 2_000;

/**
 * A connection without traffic for so long is tried, once a second from then on, and given up after ten tries: the machine
 * of the database may have died while a statement ran, and nothing would end the wait for its answer.
 */
const KEEP_ALIVE_MS = 5_000;

/** Settings of each connection; `databaseUrl` is parsed by the driver, TLS and credentials included. */
export const toClientConfig = (databaseUrl: string): ClientConfig => ({
  connectionString: databaseUrl,
  application_name: "agent-arcade",
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  // Node sets 1 s between tries and 10 tries; without a delay the system's applies, two hours.
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  types: {
    getTypeParser: ((type: number, format?: "text" | "binary") =>
      NUMBER_TYPES.has(type) ? Number : types.getTypeParser(type, format)) as typeof types.getTypeParser,
  },
});

/** Statements that PostgreSQL plans once for each connection, by name. */
const PREPARED = /^\s*(?:select|insert|update|delete|with)\s/i;
const PREPARED_MAX = 500;

interface KnownStatement {
  readonly name: string;
  readonly writtenTables: readonly string[];
}

/** Statements that are prepared, with names that are the same on every connection. */
class KnownStatements {
  readonly #statements = new Map<string, KnownStatement>();

  find(sql: string): KnownStatement | undefined {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= PREPARED_MAX || !PREPARED.test(sql)) return undefined;
    const statement = { name: `s${this.#statements.size}`, writtenTables: findWrittenTables(sql) };
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** One connection as Kysely uses it. */
class TrackedClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #statements: KnownStatements;
  readonly #writtenTables: WrittenTables;
  /** Tables that the open transaction has written. */
  readonly #written = new Set<string>();
  #isOutdated = false;

  constructor(client: PoolClient, statements: KnownStatements, writtenTables: WrittenTables) {
    this.#client = client;
    this.#statements = statements;
    this.#writtenTables = writtenTables;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query(): never;
  async query<R>(sql: string = "", parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    if (sql === "commit") return await this.#commit();
    if (sql === "rollback") this.#written.clear();
    const statement = this.#statements.find(sql);
    for (const table of statement?.writtenTables ?? findWrittenTables(sql)) this.#written.add(table);
    const query = { text: sql, values: parameters as unknown[] };
    try {
      const result = await this.#client.query(statement === undefined ? query : { ...query, name: statement.name });
      return result as unknown as PostgresQueryResult<R>;
    } catch (error) {
      this.#isOutdated ||= isPlanOutdated(error);
      throw error;
    }
  }

  /** `isDiscarded`: its state is not known after a failure, so it is closed, as where its statements are outdated. */
  release(isDiscarded = false): void {
    this.#client.release(isDiscarded || this.#isOutdated);
  }

  async #commit<R>(): Promise<PostgresQueryResult<R>> {
    const tables = new Set(this.#written);
    this.#written.clear();
    if (tables.size === 0) return (await this.#client.query("commit")) as unknown as PostgresQueryResult<R>;
    this.#writtenTables.expectNotification();
    try {
      // One message: without parameters the driver uses the simple protocol, which takes several statements.
      const results = await this.#client.query(`${this.#writtenTables.toNotification(tables)}; commit`);
      return results as unknown as PostgresQueryResult<R>;
    } finally {
      // A read that starts now must not use rows that were kept before the commit.
      this.#writtenTables.count(tables);
    }
  }
}

/** A pool of at most `max` connections. */
export function createTrackedPool(config: ClientConfig, max: number, writtenTables: WrittenTables): PostgresPool {
  const pool = new Pool({ ...config, max, allowExitOnIdle: true });
  // A connection that breaks is replaced at its next use, and fails the query that it runs. Without listeners its error
  // would end the process: the pool's is for idle connections, the client's for those in use.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const statements = new KnownStatements();
  const clients = new WeakMap<PoolClient, TrackedClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client);
      if (known !== undefined) return known;
      const tracked = new TrackedClient(client, statements, writtenTables);
      clients.set(client, tracked);
      return tracked;
    },
    end: () => pool.end(),
  };
}
