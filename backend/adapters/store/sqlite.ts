/** SQLite through better-sqlite3: opening the file, and beginning transactions. */
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from "kysely";
import { SqliteCompiler } from "./column-names.ts";
import type { DurableDialect } from "./durable-dialect.ts";
import { findWrittenTables, TableVersions } from "./table-versions.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

/**
 * Reads use the pages of the operating system's cache without a copy, so that a look-up costs about the same in a large
 * file: https://www.sqlite.org/mmap.html. What lies behind this size is read by calls. An error of the disk under a
 * mapped page ends the process instead of the request; its rows are safe.
 */
const MAPPED_BYTES_MAX = 2 ** 30;

/**
 * A second connection to the database of an open `sqlite:PATH`, for reads: it sees what is committed, and waits for no
 * transaction of the first one. Null for `sqlite::memory:`, which has one connection.
 */
export function openSqliteReader(databaseUrl: string): Database.Database | null {
  const path = databaseUrl.slice("sqlite:".length);
  if (path === ":memory:") return null;
  const database = new Database(resolve(path), { readonly: true, timeout: 0 });
  database.pragma(`mmap_size = ${MAPPED_BYTES_MAX}`);
  return database;
}

/** Opens (and creates, readable only by its owner) the database of `sqlite:PATH` or `sqlite::memory:`. */
export function openSqliteFile(databaseUrl: string): Database.Database {
  const path = databaseUrl.slice("sqlite:".length);
  const inMemory = path === ":memory:";
  const file = inMemory ? path : resolve(path);
  if (!inMemory) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, "a", 0o600));
    // SQLite gives its -wal and -shm files the mode of the database.
    chmodSync(file, 0o600);
  }
  const database = new Database(file, { timeout: 0 });
  try {
    // The switch to WAL may wait for another process and block: nothing runs in this process yet.
    database.pragma("busy_timeout = 5000");
    database.pragma("journal_mode = WAL");
    // A committed row survives a power cut; for a dialect, `WriteAheadLog.sync` waits instead of the commit.
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    // From now on connection.ts waits for locks without blocking the event loop.
    database.pragma("busy_timeout = 0");
    database.pragma(`mmap_size = ${MAPPED_BYTES_MAX}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/**
 * Writers take the lock when they begin: a transaction that reads first and writes later could otherwise fail half-way
 * because another process wrote in between (SQLITE_BUSY_SNAPSHOT).
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Database.Database;

  constructor(database: Database.Database, tableVersions: TableVersions) {
    super({ database: cacheStatements(database, tableVersions) });
    this.#database = database;
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === "read only" ? "begin" : BEGIN_WRITING;
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After errors such as a full disk SQLite has rolled back itself; the first error is the one to report.
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

class TransactionalAdapter extends SqliteAdapter {
  /** SQLite rolls back changes of tables; Kysely assumes that it does not, because of other SQLite drivers. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

const BEGIN_WRITING = "begin immediate";
const STATEMENT_CACHE_MAX = 500;

/** Kysely prepares a statement at every call, just before it runs it; this cache compiles each text once. */
function cacheStatements(database: Database.Database, tableVersions: TableVersions): SqliteDatabase {
  const cache = new Map<string, Database.Statement<unknown[]>>();
  /** The tables of those that write. */
  const writtenTables = new WeakMap<Database.Statement<unknown[]>, readonly string[]>();
  const compile = (sql: string): Database.Statement<unknown[]> => {
    const statement = database.prepare<unknown[]>(sql);
    // `begin immediate` takes a lock and writes nothing.
    if (!statement.readonly && sql !== BEGIN_WRITING) writtenTables.set(statement, findWrittenTables(sql));
    if (cache.size === STATEMENT_CACHE_MAX) cache.clear();
    cache.set(sql, statement);
    return statement;
  };
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = cache.get(sql) ?? compile(sql);
      const written = writtenTables.get(statement);
      if (written !== undefined) tableVersions.add(written);
      else if (sql === "commit") tableVersions.commit();
      return statement;
    },
  };
}

export function createSqliteDialect(database: Database.Database): DurableDialect {
  const base = new SqliteDialect({ database });
  const tableVersions = new TableVersions(database);
  // https://www.sqlite.org/pragma.html#pragma_synchronous: in WAL mode no commit waits, checkpoints still do.
  database.pragma("synchronous = NORMAL");
  const log = database.memory ? null : new WriteAheadLog(database.name);
  return {
    tableVersions,
    plugins: [],
    waitForDisk: async () => log?.sync(),
    // A writing transaction is the only one.
    waitToAlter: async () => undefined,
    close: async () => log?.close(),
    createDriver: (): Driver => new ImmediateDriver(database, tableVersions),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => new SqliteCompiler(),
    createIntrospector: (db) => base.createIntrospector(db),
  };
}
