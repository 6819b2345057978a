/** Connections to PostgreSQL: prepared statements, and which tables a transaction has written. */
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { type ClientConfig, type PoolClient, type QueryConfig, types } from "pg";
import { isPlanOutdated } from "../failures.ts";
import { findWrittenTables } from "../table-versions.ts";
import { openPool, waitForAnswer } from "./connections.ts";
import type { WrittenTables } from "./written-tables.ts";

/** Types whose values the driver returns as text, since they may exceed 2^53; the store's columns do not. */
const NUMBER_TYPES: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

/** A process that was stopped inside a transaction must not keep its locks from the others for longer. */
const IDLE_IN_TRANSACTION_MS = 2_000;
/** How often the server looks during a statement whether its connection still exists. */
const CONNECTION_CHECK_MS = 2_000;

/**
 * A connection without traffic for so long is tried, once a second from then on, and given up after ten tries: the machine
 * of the database may have died.
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
  // A statement ends soon after its connection was cut, also while it waits for a lock. `options` of the URL replace these.
  options: `-c client_connection_check_interval=${CONNECTION_CHECK_MS}`,
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

export interface PoolSettings {
  /** The number of connections. */
  readonly max: number;
  readonly writtenTables: WrittenTables;
  /** A connection whose server does not answer a statement for so long is cut; never where left out. */
  readonly answerMs?: number;
}

/** One connection as Kysely uses it. */
class TrackedClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #statements: KnownStatements;
  readonly #writtenTables: WrittenTables;
  readonly #answerMs: number | undefined;
  /** Tables that the open transaction has written. */
  readonly #written = new Set<string>();
  #isOutdated = false;

  constructor(client: PoolClient, statements: KnownStatements, { writtenTables, answerMs }: PoolSettings) {
    this.#client = client;
    this.#statements = statements;
    this.#writtenTables = writtenTables;
    this.#answerMs = answerMs;
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
      return await this.#send<R>(statement === undefined ? query : { ...query, name: statement.name });
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
    if (tables.size === 0) return await this.#send<R>({ text: "commit" });
    this.#writtenTables.expectNotification();
    try {
      // One message: without parameters the driver uses the simple protocol, which takes several statements.
      return await this.#send<R>({ text: `${this.#writtenTables.toNotification(tables)}; commit` });
    } finally {
      // A read that starts now must not use rows that were kept before the commit.
      this.#writtenTables.count(tables);
    }
  }

  async #send<R>(query: QueryConfig): Promise<PostgresQueryResult<R>> {
    const answer = this.#client.query(query);
    const result = await (this.#answerMs === undefined ? answer : waitForAnswer(this.#client, this.#answerMs, answer));
    return result as unknown as PostgresQueryResult<R>;
  }
}

/** A pool of at most `max` connections. */
export function createTrackedPool(config: ClientConfig, settings: PoolSettings): PostgresPool {
  const { pool, end } = openPool({ ...config, max: settings.max });
  const statements = new KnownStatements();
  const clients = new WeakMap<PoolClient, TrackedClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client);
      if (known !== undefined) return known;
      const tracked = new TrackedClient(client, statements, settings);
      clients.set(client, tracked);
      return tracked;
    },
    end,
  };
}
