/** Runs statements directly on their connection: Kysely's executor creates a dozen promises for each. */
import {
  AbortedTransactionError,
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type KyselyConfig,
  type KyselyProps,
  type QueryResult,
  Transaction,
  type TransactionSettings,
} from "kysely";
import { columnNames } from "./column-names.ts";
import type { DurableDialect } from "./durable-dialect.ts";
import { getPublished } from "./facts.ts";
import type { Db, Schema } from "./schema.ts";

/** Like Kysely's, but without signals that cancel a query, and with results that only `columnNames` changes. */
class DirectExecutor extends DefaultQueryExecutor {
  override async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return columnNames.rename(await this.provideConnection((connection) => connection.executeQuery<Row>(query)));
  }
}

export interface Begin extends TransactionSettings {
  /** PostgreSQL statements sent together with the start of the transaction; none if left out. */
  readonly first?: readonly string[];
}

export interface Engine {
  /** For statements outside of transactions. */
  readonly db: Kysely<Schema>;
  /** Runs `run` in a transaction, which an error rolls back. */
  transact<T>(begin: Begin, run: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface EngineConfig extends KyselyConfig {
  readonly facts: DurableDialect["facts"];
}

/** `config`: includes the dialect of the database. */
export function openEngine({ dialect, facts, ...options }: EngineConfig): Engine {
  const driver = dialect.createDriver();
  const compiler = dialect.createQueryCompiler();
  const adapter = dialect.createAdapter();
  const config = { ...options, dialect: withDriver(dialect, driver) };
  // Kysely opens the driver once, serializes the calls of an engine with one connection, and logs.
  const base = new Kysely<Schema>(config);
  const connections: ConnectionProvider = base.getExecutor();
  const toProps = (provider: ConnectionProvider): KyselyProps => {
    const executor = new DirectExecutor(compiler, adapter, provider, [...(options.plugins ?? [])]);
    return { config, dialect: config.dialect, driver, executor };
  };
  const commit = async (db: Db, connection: DatabaseConnection): Promise<void> => {
    const published = getPublished(db);
    if (published.size === 0) return await driver.commitTransaction(connection);
    const notification = facts.toNotification?.(published);
    try {
      if (notification === undefined) await driver.commitTransaction(connection);
      // One message to the server.
      else await connection.executeQuery(CompiledQuery.raw(`${notification}; commit`));
    } finally {
      facts.count(published);
    }
  };
  return {
    db: new Kysely<Schema>(toProps(connections)),
    transact: ({ first = [], ...settings }, run) =>
      connections.provideConnection(async (connection) => {
        let isOpen = true;
        const provideConnection: ConnectionProvider["provideConnection"] = (consumer) => {
          if (!isOpen) throw new Error("a statement of a transaction came after its end");
          return consumer(connection);
        };
        if (first.length === 0) await driver.beginTransaction(connection, settings);
        else {
          const begin = `start transaction isolation level ${settings.isolationLevel}`;
          await connection.executeQuery(CompiledQuery.raw([begin, ...first].join("; ")));
        }
        try {
          const db = new Transaction<Schema>(toProps({ provideConnection }));
          const result = await run(db);
          await commit(db, connection);
          return result;
        } catch (error) {
          if (!(error instanceof AbortedTransactionError)) await driver.rollbackTransaction(connection);
          throw error;
        } finally {
          isOpen = false;
        }
      }),
    // Kysely's own `destroy` leaves the connection of a driver open that ran no statement.
    close: () => driver.destroy(),
  };
}

const withDriver = (dialect: Dialect, driver: Driver): Dialect => ({
  createDriver: () => driver,
  createAdapter: () => dialect.createAdapter(),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createIntrospector: (db) => dialect.createIntrospector(db),
});
