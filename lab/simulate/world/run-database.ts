/**
 * The database of runs: one connection for all runs of a process, so that statements are compiled once. Each run is a
 * transaction that is rolled back at its end; the service's transactions are savepoints inside it.
 */
import Database from "better-sqlite3";
import { mark } from "../run/coverage.ts";
import { watchStates } from "./watch-states.ts";

type AnyStatement = Database.Statement<unknown[]>;

/** Maps the service's transaction statements to savepoints. */
const AS_SAVEPOINT: { readonly [sql: string]: readonly string[] } = {
  begin: ["savepoint run"],
  "begin immediate": ["savepoint run"],
  commit: ["release run"],
  rollback: ["rollback to run", "release run"],
};

export class RunDatabase {
  readonly #template: Buffer;
  readonly #database: Database.Database;
  readonly #statements = new Map<string, AnyStatement>();
  #isInTransaction = false;
  /** The database's clock, in milliseconds since 1970. */
  readClock: () => number = () => 0;
  /** Called when a stored block is removed. */
  onBlockRemoved: (block: number, hash: string) => void = () => undefined;

  /** `template`: the bytes of an empty store whose tables are migrated. */
  constructor(template: Buffer) {
    this.#template = template;
    this.#database = new Database(template);
    this.#database.pragma("foreign_keys = ON");
    this.#database.function("unixepoch", { varargs: true }, () => this.readClock() / 1000);
    watchStates(this.#database, (table, from, to) => {
      mark("state", `${table}: ${to}`);
      mark("transition", `${table}: ${from} → ${to}`);
    });
    this.#database.function("note_removed", (block, hash) => {
      this.onBlockRemoved(Number(block), String(hash));
      return 0;
    });
    this.#database.exec(
      "create temp trigger blocks_removed after delete on main.blocks begin select note_removed(old.number, old.hash); end; begin",
    );
  }

  /** Whether a transaction of the service is open. */
  get inTransaction(): boolean {
    return this.#isInTransaction;
  }

  prepare(sql: string): AnyStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = AS_SAVEPOINT[sql] === undefined ? this.#database.prepare(sql) : this.#createBoundary(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** A connection as the service uses it. `readDataVersion`: grows with the commits of other connections. */
  connect(readDataVersion: () => number): Database.Database {
    const prepare = (sql: string): AnyStatement => this.prepare(sql);
    const dataVersion = { pluck: () => dataVersion, get: readDataVersion };
    const isInTransaction = (): boolean => this.#isInTransaction;
    const connection = {
      memory: true,
      // File settings have no effect here, and cannot be changed within a transaction.
      pragma: () => undefined,
      prepare: (sql: string) => (sql === "pragma data_version" ? dataVersion : prepare(sql)),
      get inTransaction() {
        return isInTransaction();
      },
    };
    return connection as unknown as Database.Database;
  }

  /** Discards the data of the run. */
  reset(): void {
    this.#isInTransaction = false;
    this.#database.exec("rollback; begin");
  }

  /** Another database with this one's initial rows. */
  fork(): RunDatabase {
    return new RunDatabase(this.#template);
  }

  /** Returns the current data as bytes, and makes it the state that a reset restores. */
  save(): Buffer {
    this.#database.exec("commit");
    const bytes = this.#database.serialize();
    this.#database.exec("begin");
    return bytes;
  }

  close(): void {
    this.#database.close();
  }

  #createBoundary(sql: string): AnyStatement {
    const statements = AS_SAVEPOINT[sql]!.map((text) => this.#database.prepare(text));
    const begins = sql.startsWith("begin");
    const run = () => {
      if (this.#isInTransaction === begins) throw new Error(`the service sent ${sql} ${begins ? "twice" : "too late"}`);
      this.#isInTransaction = begins;
      for (const statement of statements) statement.run();
      return { changes: 0, lastInsertRowid: 0 };
    };
    return { reader: false, readonly: true, run } as unknown as AnyStatement;
  }
}
