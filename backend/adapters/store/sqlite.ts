/** SQLite through better-sqlite3: opening the file, and beginning transactions. */
import { chmodSync, closeSync, openSync } from "node:fs";
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
import type { StoreFact } from "../../ports/store/facts.ts";
import { makeDataFolder } from "../node/data-folder.ts";
import { SqliteCompiler } from "./column-names.ts";
import type { DurableDialect } from "./durable-dialect.ts";
import { FactVersions } from "./facts.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

/**
 * Reads use the operating system's page cache without copying, so that a lookup costs about the same in a large file:
 * https://www.sqlite.org/mmap.html. Data beyond this size is read by system calls. A disk error under a mapped page
 * ends the process instead of the request; its rows are safe.
 */
const MAPPED_BYTES_MAX = 2 ** 30;

/**
 * A second connection to the database of an open `sqlite:PATH`, for reads: it sees committed rows, and waits for no
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
    makeDataFolder(dirname(file));
    closeSync(openSync(file, "a", 0o600));
    // SQLite gives its -wal and -shm files the mode of the database.
    chmodSync(file, 0o600);
  }
  const database = new Database(file, { timeout: 0 });
  try {
    // The switch to WAL may wait for another process and block; at this point nothing else runs in this process.
    database.pragma("busy_timeout = 5000");
    database.pragma("journal_mode = WAL");
    // A committed row survives a power cut. In a dialect, `WriteAheadLog.sync` waits instead of the commit.
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
 * Writers take the lock when they begin: a transaction that first reads and later writes could otherwise fail halfway
 * because another process wrote in between (SQLITE_BUSY_SNAPSHOT).
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    super({ database: cacheStatements(database) });
    this.#database = database;
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === "read only" ? "begin" : "begin immediate";
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After errors such as a full disk, SQLite has already rolled back; the first error is the one to report.
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }

  override async destroy(): Promise<void> {
    this.#database.close();
  }
}

class TransactionalAdapter extends SqliteAdapter {
  /** SQLite rolls back changes of tables. Kysely assumes that it does not, because of other SQLite drivers. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

const STATEMENT_CACHE_MAX = 500;

/** Kysely prepares a statement at every call, just before running it; this cache compiles each text once. */
function cacheStatements(database: Database.Database): SqliteDatabase {
  const cache = new Map<string, Database.Statement<unknown[]>>();
  const compile = (sql: string): Database.Statement<unknown[]> => {
    const statement = database.prepare<unknown[]>(sql);
    if (cache.size === STATEMENT_CACHE_MAX) cache.clear();
    cache.set(sql, statement);
    return statement;
  };
  return { close: () => database.close(), prepare: (sql) => cache.get(sql) ?? compile(sql) };
}

/** The facts of one file. Each commit of another connection counts as a change of all of them. */
class SqliteFacts extends FactVersions {
  readonly #readDataVersion: Database.Statement<[], number>;
  #dataVersion: number;
  /**
   * Whether commits of other connections were already checked in this turn of the event loop: the check takes as long
   * as a read.
   */
  #isChecked = false;

  constructor(database: Database.Database) {
    super();
    // Changes after a commit of another connection: https://www.sqlite.org/pragma.html#pragma_data_version
    this.#readDataVersion = database.prepare<[], number>("pragma data_version").pluck();
    this.#dataVersion = this.#readDataVersion.get()!;
  }

  override getVersion(fact: StoreFact): number {
    if (!this.#isChecked) this.#checkOtherConnections();
    return super.getVersion(fact);
  }

  #checkOtherConnections(): void {
    this.#isChecked = true;
    setImmediate(() => {
      this.#isChecked = false;
    });
    const dataVersion = this.#readDataVersion.get()!;
    if (dataVersion === this.#dataVersion) return;
    this.#dataVersion = dataVersion;
    this.countAll();
  }
}

export function createSqliteDialect(database: Database.Database): DurableDialect {
  const base = new SqliteDialect({ database });
  // https://www.sqlite.org/pragma.html#pragma_synchronous: in WAL mode no commit waits, checkpoints still do.
  database.pragma("synchronous = NORMAL");
  const log = database.memory || database.readonly ? null : new WriteAheadLog(database.name);
  return {
    facts: new SqliteFacts(database),
    plugins: [],
    waitForDisk: async () => log?.sync(),
    // SQLite allows only one writing transaction.
    waitToAlter: async () => undefined,
    close: async () => log?.close(),
    createDriver: (): Driver => new ImmediateDriver(database),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => new SqliteCompiler(),
    createIntrospector: (db) => base.createIntrospector(db),
  };
}
