/** The disk of a run: one SQLite database in memory that outlives the simulated processes which use it. */
import type { DatabaseConnection, Driver, QueryResult } from "kysely";
import type { DurableDialect } from "../../../backend/adapters/store/durable-dialect.ts";
import { createSqliteDialect } from "../../../backend/adapters/store/sqlite.ts";
import { mark } from "../run/coverage.ts";
import type { SimulatedProcess } from "./event-loop.ts";
import type { RunDatabase } from "./run-database.ts";

type SqliteError = Error & { readonly code: string };

const createSqliteError = (code: string, message: string): SqliteError => Object.assign(new Error(message), { code });

export interface DiskFaults {
  /** Called before each statement of a process; may end the process, which then never sees a result. */
  readonly beforeStatement: (process: SimulatedProcess, sql: string) => void;
  /** Called after each commit, before the process sees it. `written`: `lease` if it wrote only the leases of nodes. */
  readonly afterCommit: (process: SimulatedProcess, written: "nothing" | "lease" | "rows") => void;
  /** The time that a commit takes. Code that runs in this time must not rely on the commit. */
  readonly waitForCommit: () => Promise<void>;
  /** Whether the answer to the n-th commit that writes is lost. */
  readonly losesAnswer: (count: number) => boolean;
  readonly isFull: (sql: string) => boolean;
  readonly isLocked: () => boolean;
  /** Whether the database server is unreachable. */
  readonly isAway: () => boolean;
  /** A transaction that sends nothing for this long ends with its connection, if another process needs its lock. */
  readonly idleMs: number;
  /** How many commits a transaction waits for the end of another one before it fails. */
  readonly waitsMax: number;
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** Statements that need no space and succeed on a full disk. */
const NEEDS_NO_ROOM = /^\s*(select|begin|commit|rollback|savepoint|release|pragma)/i;
/** How a process renews its own lease, even after it has run out. */
const RENEWS_NODE = /^(insert into|update|delete from) "nodes"/i;

const SETTLE = 'update "transactions" set "settled_at_ms"';
/** How a poll of the operator's transactions begins. */
const SUMMARY = /^select count\(\*\) as "waiting"/;

export class Disk {
  readonly database: RunDatabase;
  readonly #faults: DiskFaults;
  #writer: SimulatedProcess | null = null;
  /** Whether the open transaction has written, and anything but leases of nodes. */
  #isWritten = false;
  #isGuarded = false;
  /** When the open transaction sent its last statement. */
  #activeMs = 0;
  /** Writing commits: of all processes, and of each. */
  #commits = 0;
  /** How often transactions were recorded as final. */
  settles = 0;
  /** How often polls looked for transactions that are not final. */
  summaries = 0;
  summarizedMs = 0;
  /** When the answer to a commit was lost. */
  commitLostMs = Number.NEGATIVE_INFINITY;
  readonly #commitsOf = new Map<SimulatedProcess, number>();
  /** Processes whose open transaction ended with their connection. */
  readonly #broken = new Set<SimulatedProcess>();

  constructor(database: RunDatabase, faults: DiskFaults) {
    this.database = database;
    this.#faults = faults;
  }

  /** The dialect of one process; statements of a dead one have no effect and never return. */
  createDialect(process: SimulatedProcess): DurableDialect {
    const readDataVersion = (): number => this.#commits - (this.#commitsOf.get(process) ?? 0);
    const dialect = createSqliteDialect(this.database.connect(readDataVersion));
    const { createDriver } = dialect;
    return { ...dialect, createDriver: () => this.#guardDriver(createDriver(), process) };
  }

  /** Recovers from a process's crash: only committed data is left. */
  recover(process: SimulatedProcess): void {
    if (this.#writer !== process) return;
    this.#writer = null;
    if (this.database.inTransaction) this.database.prepare("rollback").run();
  }

  /** Leaves an empty store to the next run. */
  close(): void {
    this.database.reset();
  }

  #guardDriver(driver: Driver, process: SimulatedProcess): Driver {
    let guarded: DatabaseConnection | null = null;
    return {
      init: () => driver.init(),
      acquireConnection: async () => {
        guarded ??= this.#guardConnection(await driver.acquireConnection(), process);
        return guarded;
      },
      beginTransaction: async (connection, settings) => {
        const isTaken = (): boolean => this.#writer !== null && this.#writer !== process;
        for (let waits = 0; isTaken() && waits < this.#faults.waitsMax; waits++) await this.#faults.waitForCommit();
        await driver.beginTransaction(connection, settings);
      },
      commitTransaction: async (connection) => {
        await this.#faults.waitForCommit();
        const isWritten = this.#isWritten;
        await driver.commitTransaction(connection);
        if (!isWritten || !this.#faults.losesAnswer(this.#commits)) return;
        this.#broken.add(process);
        throw createSqliteError("57P01", "the connection was lost before the answer to the commit");
      },
      rollbackTransaction: (connection) => (process.isAlive ? driver.rollbackTransaction(connection) : never()),
      // SQLite's driver has one connection and closes the database, which the next process needs.
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    };
  }

  #guardConnection(connection: DatabaseConnection, process: SimulatedProcess): DatabaseConnection {
    return {
      executeQuery: async <R>(query: Parameters<DatabaseConnection["executeQuery"]>[0]): Promise<QueryResult<R>> => {
        if (process.isAlive) this.#faults.beforeStatement(process, query.sql);
        if (!process.isAlive) return await never();
        // The end of a broken transaction, or a statement after it.
        const isAfterBreak = /^(rollback|begin|select)/i.test(query.sql) && this.#broken.delete(process);
        if (isAfterBreak && /^rollback/i.test(query.sql)) return { rows: [] };
        this.#throwFaults(query.sql, process);
        if (query.sql.startsWith(SETTLE)) this.settles += 1;
        if (SUMMARY.test(query.sql))
          [this.summaries, this.summarizedMs] = [this.summaries + 1, this.database.readClock()];
        const running = connection.executeQuery<R>(query);
        // SQLite has executed it by now, and the process may end before the promise resolves.
        this.#trackTransaction(query.sql, process);
        const result = await running;
        if (this.#writer === process && !NEEDS_NO_ROOM.test(query.sql)) {
          this.#isWritten = true;
          this.#isGuarded ||= !RENEWS_NODE.test(query.sql);
        }
        return process.isAlive ? result : await never();
      },
      streamQuery: () => {
        throw new Error("a simulated run streams no rows");
      },
    };
  }

  #throwFaults(sql: string, process: SimulatedProcess): void {
    if (this.#broken.has(process)) throw createSqliteError("57P01", "the connection is lost");
    if (this.#faults.isAway()) {
      mark("fault", "database away");
      if (this.#writer !== process) throw createSqliteError("57P03", "the database system is starting up");
      this.#break(process);
      throw createSqliteError("57P01", "terminating connection due to administrator command");
    }
    if (this.#writer === process) this.#activeMs = this.database.readClock();
    else if (this.#writer !== null && this.database.readClock() - this.#activeMs >= this.#faults.idleMs)
      this.#break(this.#writer);
    const isTaken = this.#writer !== null && this.#writer !== process;
    const isLocked = /^begin/i.test(sql) && this.#faults.isLocked();
    if (isLocked) mark("fault", "disk locked");
    if (isTaken || isLocked) throw createSqliteError("SQLITE_BUSY", "database is locked");
    if (NEEDS_NO_ROOM.test(sql) || !this.#faults.isFull(sql)) return;
    mark("fault", "disk full");
    throw createSqliteError("SQLITE_FULL", "database or disk is full");
  }

  /** Ends the open transaction of a process together with its connection. */
  #break(writer: SimulatedProcess): void {
    this.recover(writer);
    this.#broken.add(writer);
  }

  #trackTransaction(sql: string, process: SimulatedProcess): void {
    const { inTransaction } = this.database;
    if (/^begin/i.test(sql) && inTransaction) {
      [this.#writer, this.#isWritten, this.#isGuarded] = [process, false, false];
      this.#activeMs = this.database.readClock();
    }
    if (!/^(commit|rollback)(?! to)/i.test(sql) || inTransaction) return;
    this.#writer = null;
    if (!/^commit/i.test(sql)) return;
    if (this.#isWritten) {
      this.#commits += 1;
      this.#commitsOf.set(process, (this.#commitsOf.get(process) ?? 0) + 1);
    }
    const rows = this.#isGuarded ? "rows" : "lease";
    this.#faults.afterCommit(process, this.#isWritten ? rows : "nothing");
  }
}
