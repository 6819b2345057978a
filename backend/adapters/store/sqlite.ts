/** SQLite through better-sqlite3: where the file lies, how it is opened, and how a transaction begins. */
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from "kysely";

/** https://www.sqlite.org/pragma.html#pragma_synchronous, in WAL mode. */
const WAITING = "FULL";
const NOT_WAITING = "NORMAL";

/** A dialect whose commits can be told to wait for the disk, as they do at first, or not to. */
export interface DurableDialect extends Dialect {
  /** Outside of transactions only. */
  waitForDisk(wait: boolean): void;
}

/** Opens (and creates, readable by its owner alone) the database of `sqlite:PATH` or `sqlite::memory:`. */
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
    // Taking turns at the switch to WAL is the one wait that may block: nothing runs in this process yet.
    database.pragma("busy_timeout = 5000");
    database.pragma("journal_mode = WAL");
    // A committed row survives a power cut: the rule for the whole connection, so that no money row can miss it.
    database.pragma(`synchronous = ${WAITING}`);
    database.pragma("foreign_keys = ON");
    // From here on waiting for a lock is done without blocking the event loop: see connection.ts.
    database.pragma("busy_timeout = 0");
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

  constructor(database: Database.Database) {
    super({ database: keepStatements(database) });
    this.#database = database;
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === "read only" ? "begin" : "begin immediate";
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite has rolled back by itself after faults such as a full disk; the first error is the one to keep.
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

class TransactionalAdapter extends SqliteAdapter {
  /** SQLite rolls table changes back like rows; Kysely leaves it off for the sake of other SQLite drivers. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

const STATEMENTS_KEPT = 500;

/** Kysely prepares a statement at every call; the same text is compiled once here. */
function keepStatements(database: Database.Database): SqliteDatabase {
  const kept = new Map<string, Database.Statement<unknown[]>>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = kept.get(sql);
      if (known !== undefined) return known;
      const statement = database.prepare<unknown[]>(sql);
      if (kept.size === STATEMENTS_KEPT) kept.clear();
      kept.set(sql, statement);
      return statement;
    },
  };
}

export function makeSqliteDialect(database: Database.Database): DurableDialect {
  const base = new SqliteDialect({ database });
  return {
    waitForDisk: (wait) => {
      database.pragma(`synchronous = ${wait ? WAITING : NOT_WAITING}`);
    },
    createDriver: (): Driver => new ImmediateDriver(database),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => base.createQueryCompiler(),
    createIntrospector: (db) => base.createIntrospector(db),
  };
}
