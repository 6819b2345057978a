/** The repositories' access to the database: each call is a transaction, which waits for locks without blocking. */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { CompiledQuery, Dialect, Kysely } from "kysely";
import { columnNames } from "./column-names.ts";
import type { DurableDialect } from "./durable-dialect.ts";
import { type Begin, type Engine, openEngine } from "./engine.ts";
import { canReadAgain, isBusy, isLockWaitOver, isUnreachable, toStorageError } from "./failures.ts";
import { GroupCommit, type RunCalls } from "./group-commit.ts";
import type { Db, Schema } from "./schema.ts";
import { type BuildStatement, bindStatement, type Statement } from "./statement.ts";

export interface Connection {
  /** Runs at the start of each write's transaction; an error rolls it back. Set once, when the connection is new. */
  setGuard(guard: (db: Db) => Promise<void>): void;
  /** Several reads of one snapshot; committed rows only. */
  read<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /** A read of one statement, which needs no transaction; committed rows only. */
  readOne<T>(run: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** The rows of one compiled statement; committed rows only. */
  readRows<Row>(query: CompiledQuery<Row>): Promise<readonly Row[]>;
  /** Compiles a statement once. Execute it by `readRows`, or by `executeQuery` of a transaction. */
  compile<Parameters, Row>(build: BuildStatement<Parameters, Row>): Statement<Parameters, Row>;
  /**
   * All or nothing, one writer at a time; resolves when the commit is on disk. Reads and later writes see it earlier; a
   * later write resolves only after this one is on disk. `run` may be called again after a lock or another call's
   * error, so it must only use the database.
   */
  write<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Like `write`, for a frequent kind of call. If each statement is a message to another process, a transaction's calls
   * run through `all`, after those of `write`: in the order of the definitions, not of the calls.
   */
  defineWrite<Call, Result>(ways: {
    readonly one: (db: Db, call: Call) => Promise<Result>;
    readonly all: RunCalls<Call, Result>;
  }): (call: Call) => Promise<Result>;
  /**
   * The same without waiting for the disk: the commit survives the end of the process, but a power cut only after the
   * next `write`. Such calls share separate transactions. Only for data whose loss costs some play, never for money.
   */
  writeBehind<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Like `write`, but in a separate transaction if other processes write at the same time: for rows that every node
   * writes. In a shared transaction they would be locked before or after the rows of any other calls, so that two nodes
   * could each hold a row that the other waits for.
   */
  writeApart<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Like `write`, in a separate transaction that waits for no other write of this process, if the engine allows it.
   * Each statement sees what others have committed before it.
   */
  writeAside<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * A small, unguarded transaction that waits for no other write of this process, if the engine allows it. It is tried
   * once, and a power cut may undo it.
   */
  control<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * A transaction that may create and alter tables; processes that start at the same time run theirs one after the
   * other.
   */
  alter<T>(run: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** A second connection to the same database, for reads; if left out, reads wait for transactions. */
  readonly reader?: Dialect | undefined;
  /** How long a call waits for another process's lock before it throws `STORAGE_BUSY`. */
  readonly busyWaitMs: number;
  /** Called with every statement, for measurements. */
  readonly onQuery?: ((query: { readonly sql: string; readonly parameters: readonly unknown[] }) => void) | undefined;
}

const RETRY_DELAY_MAX_MS = 25;
/** The same while PostgreSQL accepts no connection: a starting server is not flooded with attempts. */
const RECONNECT_DELAY_MAX_MS = 250;

/**
 * Retries a transaction while another process holds the lock: SQLite's own waiting would block this thread and its
 * ticks.
 */
async function retryWhileBusy<T>(
  attempt: () => Promise<T>,
  busyWaitMs: number,
  canRetry: (error: unknown) => boolean = isBusy,
): Promise<T> {
  const deadlineMs = performance.now() + busyWaitMs;
  for (let delayMs = 1; ; ) {
    try {
      return await attempt();
    } catch (error) {
      // safeguard: wait-for-lock
      if (!canRetry(error) || performance.now() + delayMs > deadlineMs) throw toStorageError(error);
      await sleep(delayMs);
      delayMs = Math.min(delayMs * 2, isUnreachable(error) ? RECONNECT_DELAY_MAX_MS : RETRY_DELAY_MAX_MS);
    }
  }
}

const open = (
  dialect: Dialect,
  { plugins, facts }: Pick<DurableDialect, "plugins" | "facts">,
  onQuery: ConnectionOptions["onQuery"],
): Engine =>
  openEngine({
    dialect,
    facts,
    plugins: [columnNames, ...plugins],
    ...(onQuery && { log: (event) => onQuery({ sql: event.query.sql, parameters: event.query.parameters }) }),
  });

/** If rows are read before writing, they are the same during the write. */
const WRITING = { isolationLevel: "serializable" } as const;
const READING = { isolationLevel: "repeatable read", accessMode: "read only" } as const;
/** Each statement reads what was committed before it starts. */
const CURRENT = { isolationLevel: "read committed" } as const;

export function openConnection(
  dialect: DurableDialect,
  { reader, busyWaitMs, onQuery }: ConnectionOptions,
): Connection {
  const engine = open(dialect, dialect, onQuery);
  const readEngine = reader === undefined ? engine : open(reader, dialect, onQuery);
  const controlEngine = dialect.control === undefined ? null : open(dialect.control, dialect, onQuery);
  const alterEngine = dialect.alteration === undefined ? engine : open(dialect.alteration, dialect, onQuery);
  let guard = async (_: Db): Promise<void> => undefined;
  const guarded =
    <T>(run: (db: Db) => Promise<T>) =>
    async (db: Db): Promise<T> => {
      await guard(db);
      return await run(db);
    };
  const { commitBehind, boundLockWaits } = dialect;
  const toBegin = (...first: readonly (string | false | undefined)[]): Begin => ({
    ...WRITING,
    first: first.filter((statement) => typeof statement === "string"),
  });
  const behind = <T>(run: (db: Db) => Promise<T>): Promise<T> => engine.transact(toBegin(commitBehind), run);
  /** Calls whose shared transaction could not wait for a lock run again, each in its own transaction. */
  const createTransact =
    (first: string | undefined) =>
    <T>(run: (db: Db) => Promise<T>, isShared: boolean): Promise<T> =>
      retryWhileBusy(
        () => engine.transact(toBegin(first, isShared && boundLockWaits), guarded(run)),
        busyWaitMs,
        (error) => isBusy(error) && !(isShared && isLockWaitOver(error)),
      );
  const transact = createTransact(undefined);
  const waitForDisk = (): Promise<void> => dialect.waitForDisk();
  const groupCommit = new GroupCommit(transact, { waitForDisk });
  /** SQLite has one writer, so two transactions can never wait for each other. */
  const hasOneWriter = controlEngine === null;
  const apart = hasOneWriter ? groupCommit : new GroupCommit(transact, { waitForDisk, jobsMax: 1 });
  // The first call starts at once, and calls that arrive during its transaction share the next one.
  const groupBehind = new GroupCommit(createTransact(commitBehind), {
    waitForDisk: async () => undefined,
    beforeFirst: async () => undefined,
  });

  return {
    setGuard: (next) => {
      guard = next;
    },
    defineWrite: ({ one, all }) =>
      hasOneWriter ? (call) => groupCommit.write((db) => one(db, call)) : groupCommit.define(all),
    writeBehind: (run) => groupBehind.write(run),
    writeApart: (run) => apart.write(run),
    writeAside: (run) =>
      controlEngine === null
        ? groupCommit.write(run)
        : retryWhileBusy(() => controlEngine.transact(CURRENT, guarded(run)), busyWaitMs),
    control: (run) => (controlEngine === null ? behind(run) : controlEngine.transact({}, run)),
    alter: async (run) => {
      // A loop that opens stores must let the rest of the process run, even if SQLite itself never waits.
      await nextTurn();
      return await retryWhileBusy(
        () =>
          alterEngine.transact(CURRENT, async (db) => {
            await dialect.waitToAlter(db);
            return await guarded(run)(db);
          }),
        busyWaitMs,
      );
    },
    read: (run) => retryWhileBusy(() => readEngine.transact(READING, run), busyWaitMs, canReadAgain),
    readOne: (run) => retryWhileBusy(() => run(readEngine.db), busyWaitMs, canReadAgain),
    readRows: (query) =>
      retryWhileBusy(async () => (await readEngine.db.executeQuery(query)).rows, busyWaitMs, canReadAgain),
    compile: (build) => bindStatement(engine.db, build),
    write: (run) => groupCommit.write(run),
    close: async () => {
      await groupCommit.waitUntilIdle();
      await apart.waitUntilIdle();
      await groupBehind.waitUntilIdle();
      await dialect.close();
      if (readEngine !== engine) await readEngine.close();
      await controlEngine?.close();
      if (alterEngine !== engine) await alterEngine.close();
      await engine.close();
    },
  };
}
