import { openStore } from "../../../backend/adapters/store/open-store.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { type PostgresServer, usePostgres } from "../../helpers/postgres.ts";

type StoreOptions = Omit<Parameters<typeof openStore>[0], "databaseUrl">;

/** A database on PostgreSQL that is new for each test, and the stores that the test opens on it. */
export interface PostgresStores {
  readonly server: PostgresServer;
  readonly databaseUrl: string;
  /** Closed after the test; a test that closes one itself removes it. */
  readonly stores: Store[];
  open(options?: StoreOptions): Promise<Store>;
}

/** One server for the suite. The returned function gives a test its database. */
export function usePostgresStores(): () => PostgresStores {
  const getServer = usePostgres();
  let current: PostgresStores;
  beforeEach(async () => {
    const server = getServer();
    const databaseUrl = await server.createDatabase();
    const stores: Store[] = [];
    current = {
      server,
      databaseUrl,
      stores,
      async open(options = {}) {
        const store = await openStore({ databaseUrl, ...options });
        stores.push(store);
        return store;
      },
    };
  });
  afterEach(async () => {
    for (const store of current.stores) await store.close();
    await current.server.dropDatabase(current.databaseUrl);
  });
  return () => current;
}
