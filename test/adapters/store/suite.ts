/** Runs one suite on every kind of database that a service works on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeOptions } from "../../../backend/adapters/store/nodes/node-lease.ts";
import { openStore, type StoreOptions } from "../../../backend/adapters/store/open-store.ts";
import { WriteAheadLog } from "../../../backend/adapters/store/write-ahead-log.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { copyEmptyStore, openMemoryStore } from "../../../testing/images.ts";
import { useEach } from "../../helpers/fixture.ts";
import { type PostgresServer, startPostgres } from "../../helpers/postgres.ts";
import { findPostgresPrograms } from "../../helpers/postgres-programs.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "../chain/chain-fixture.ts";

interface TempDatabase {
  readonly databaseUrl: string;
  readonly file: string;
}

/** A folder that the test run's hook deletes with `remove`. */
export function createTempDatabase(): TempDatabase & { remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "arcade-store-"));
  const file = join(folder, "data", "arcade.db");
  return { file, databaseUrl: `sqlite:${file}`, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A write that waits for the lock like others, and changes no row. */
export const writeNothing = (store: Store): Promise<void> => store.nodes.release("nobody");

/** A lease that does not run out during a test. */
export const TEST_LEASE_MS = 600_000;
/** A lease that has run out when it is written. */
export const EXPIRED_LEASE_MS = -1;

export interface TestDatabase {
  open(options?: Partial<StoreOptions>): Promise<Store>;
  remove(): Promise<void> | void;
}

interface Dialect {
  readonly name: string;
  /** A new, empty database. */
  create(): Promise<TestDatabase>;
}

const DIALECTS: readonly Dialect[] = [
  {
    name: "SQLite",
    create: async () => {
      const { databaseUrl, file, remove } = createTempDatabase();
      await copyEmptyStore(file);
      return { open: (options) => openStore({ databaseUrl, ...options }), remove };
    },
  },
  // `npm test` reports it if PostgreSQL is not installed.
  ...(findPostgresPrograms() === null ? [] : [{ name: "PostgreSQL", create: createPostgresDatabase }]),
];

/** One server for all tests of this process, which ends with it, and a migrated database that the others copy. */
const startServer = async (): Promise<{ readonly server: PostgresServer; readonly template: string }> => {
  const server = await startPostgres();
  const databaseUrl = await server.createDatabase();
  await (await openStore({ databaseUrl })).close();
  return { server, template: databaseUrl.slice(server.url.length) };
};
let started: ReturnType<typeof startServer> | undefined;

async function createPostgresDatabase(): Promise<TestDatabase> {
  started ??= startServer();
  const { server, template } = await started;
  const databaseUrl = await server.createDatabase(template);
  return {
    open: (options) => openStore({ databaseUrl, ...options }),
    remove: () => server.dropDatabase(databaseUrl),
  };
}

/** Stores on one database, which is removed after they are closed. */
function keepStores({ open, remove }: TestDatabase) {
  const stores: Store[] = [];
  return {
    async open(options?: Partial<StoreOptions>): Promise<Store> {
      const store = await open(options);
      stores.push(store);
      return store;
    },
    async close(): Promise<void> {
      for (const store of stores) await store.close();
      await remove();
    },
  };
}

/** A database file for each test; the stores that a test opens on it are closed after it. */
export const useTempDatabase = () =>
  useEach(async () => {
    const { remove, ...database } = createTempDatabase();
    const open: TestDatabase["open"] = (options) => openStore({ ...database, ...options });
    return { ...database, ...keepStores({ open, remove }) };
  });

/** Counts how often a SQLite store has waited for the disk. */
export function useDiskWaits(): () => number {
  const { sync } = WriteAheadLog.prototype;
  let waits = 0;
  beforeEach(() => {
    WriteAheadLog.prototype.sync = function () {
      waits += 1;
      return sync.call(this);
    };
  });
  afterEach(() => {
    WriteAheadLog.prototype.sync = sync;
  });
  return () => waits;
}

/** Runs a property's check on an empty store. */
export async function withStore(run: (store: Store) => Promise<void>): Promise<void> {
  const store = await openMemoryStore();
  await run(store).finally(() => store.close());
}

/** Declares tests for every dialect, each with an empty database, whose stores are closed after it. */
function describeDialects(title: string, declareTests: (open: TestDatabase["open"]) => void): void {
  for (const dialect of DIALECTS)
    describe(`${title} on ${dialect.name}`, () => {
      // Every commit waits for the disk, which a busy machine shares.
      const database = useEach(async () => keepStores(await dialect.create()));
      declareTests((options) => database.open(options));
    });
}

interface StoreFixture {
  /** A second store on the same database. */
  readonly other: Store;
  /** Calls `operation` 50 times at once, over both connections in turn. */
  runConcurrently<T>(operation: (store: Store, index: number) => Promise<T>): Promise<T[]>;
}

/** Declares tests once for every dialect; each has an empty `store`. */
export function describeStore(title: string, declareTests: (store: Store, fixture: StoreFixture) => void): void {
  describeDialects(title, (open) => {
    const [store, other] = [useEach(() => open()), useEach(() => open())];
    const runConcurrently: StoreFixture["runConcurrently"] = (operation) =>
      Promise.all(Array.from({ length: 50 }, (_, index) => operation(index % 2 === 0 ? store : other, index)));
    declareTests(store, { other, runConcurrently });
  });
}

/** The options of a node whose lease does not run out. */
export const createNodeOptions = (change: Partial<NodeOptions> = {}): NodeOptions => ({
  url: null,
  isExclusive: false,
  leaseMs: TEST_LEASE_MS,
  clock: new TestClock(),
  log: silentLog,
  ...change,
});

/** Declares tests once for every dialect; `open()` is a node. */
export function describeNodes(
  title: string,
  declareTests: (open: (options?: Partial<NodeOptions>) => Promise<Store>) => void,
): void {
  describeDialects(title, (open) => declareTests((options) => open({ node: createNodeOptions(options) })));
}

export async function getRejection(
  promise: Promise<unknown>,
): Promise<Error & { readonly code?: string; readonly fields?: object | null }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("Expected the promise to be rejected.");
}
