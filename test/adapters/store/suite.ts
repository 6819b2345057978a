/** Runs one suite on every kind of database that a service works on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeOptions } from "../../../backend/adapters/store/nodes/node-lease.ts";
import { openStore, type StoreOptions } from "../../../backend/adapters/store/open-store.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { type PostgresServer, startPostgres } from "../../helpers/postgres.ts";
import { findPostgresPrograms } from "../../helpers/postgres-programs.ts";
import { copyEmptyStore } from "../../helpers/template.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "../chain/chain-fixture.ts";

/** A folder that is gone when the test run's hook calls `remove`. */
export function createTempDatabase(): { readonly databaseUrl: string; readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "arcade-store-"));
  const file = join(folder, "data", "arcade.db");
  return { file, databaseUrl: `sqlite:${file}`, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

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
  // `npm test` says so where it is not installed.
  ...(findPostgresPrograms() === null ? [] : [{ name: "PostgreSQL", create: createPostgresDatabase }]),
];

/** One server for all tests of this process, which ends with it, and a migrated database that the others are copies of. */
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

export interface StoreFixture {
  /** The store of this test, new and empty. */
  readonly store: Store;
  /** Two stores on the same database. */
  readonly pair: readonly [Store, Store];
}

/** Declares `body`'s tests once for every dialect; `subject()` is this test's store. */
export function describeStore(title: string, declareTests: (getFixture: () => StoreFixture) => void): void {
  for (const dialect of DIALECTS) {
    describe(`${title} on ${dialect.name}`, function () {
      // Every commit waits for the disk, which a busy machine shares.
      this.timeout(20_000);
      let current: (StoreFixture & { close(): Promise<void> }) | null = null;
      beforeEach(async () => {
        const database = await dialect.create();
        const store = await database.open();
        const other = await database.open();
        const close = async () => {
          await store.close();
          await other.close();
          await database.remove();
        };
        current = { store, pair: [store, other], close };
      });
      afterEach(async () => {
        await current?.close();
        current = null;
      });
      declareTests(() => {
        if (current === null) throw new Error("The store exists inside of tests only.");
        return current;
      });
    });
  }
}

/** Declares `body`'s tests once for every dialect; `open()` is one of them. */
export function describeNodes(
  title: string,
  declareTests: (open: (options?: Partial<NodeOptions>) => Promise<Store>) => void,
): void {
  for (const dialect of DIALECTS) {
    describe(`${title} on ${dialect.name}`, function () {
      this.timeout(20_000);
      let database: TestDatabase;
      let opened: Store[];
      beforeEach(async () => {
        database = await dialect.create();
        opened = [];
      });
      afterEach(async () => {
        for (const store of opened) await store.close();
        await database.remove();
      });
      declareTests(async (options = {}) => {
        const shared = {
          url: null,
          isExclusive: false,
          leaseMs: TEST_LEASE_MS,
          clock: new TestClock(),
          log: silentLog,
        };
        const store = await database.open({ node: { ...shared, ...options } });
        opened.push(store);
        return store;
      });
    });
  }
}

/** Calls `attempt` 50 times at once, over both connections in turn. */
export const runConcurrently = <T>(
  { pair }: StoreFixture,
  operation: (store: Store, index: number) => Promise<T>,
): Promise<T[]> => Promise.all(Array.from({ length: 50 }, (_, index) => operation(pair[index % 2] as Store, index)));

/** What a promise was rejected with. */
export async function getRejection(promise: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("Expected the promise to be rejected.");
}
