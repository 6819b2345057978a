import { Client } from "pg";
import { openStore, openStoreOn } from "../../../backend/adapters/store/open-store.ts";
import { openPostgres } from "../../../backend/adapters/store/postgres/dialect.ts";
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
  /** Opens a store with options of its connections. */
  openOn(
    connections: Parameters<typeof openPostgres>[1] & { readonly url?: string },
    options?: StoreOptions,
  ): Promise<Store>;
  /** Another program, which ends before the stores are closed. */
  connect(): Promise<Client>;
  /** The rows that another program reads. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** One server for the suite. The returned function gives a test its database. */
export function usePostgresStores(): () => PostgresStores {
  const getServer = usePostgres();
  let current: PostgresStores;
  let clients: Client[];
  beforeEach(async () => {
    const server = getServer();
    const databaseUrl = await server.createDatabase();
    const stores: Store[] = [];
    clients = [];
    const keep = async (opening: Promise<Store>): Promise<Store> => {
      const store = await opening;
      stores.push(store);
      return store;
    };
    const connect = async (): Promise<Client> => {
      const client = new Client({ connectionString: databaseUrl });
      clients.push(client);
      await client.connect();
      return client;
    };
    current = {
      server,
      databaseUrl,
      stores,
      open: (options) => keep(openStore({ databaseUrl, ...options })),
      openOn: async ({ url = databaseUrl, ...connections }, options = {}) =>
        await keep(openStoreOn(await openPostgres(url, connections), options)),
      connect,
      async query(sql, values = []) {
        const client = await connect();
        return (await client.query(sql, [...values]).finally(() => client.end())).rows;
      },
    };
  });
  afterEach(async () => {
    for (const client of clients) await client.end();
    for (const store of current.stores) await store.close();
    await current.server.dropDatabase(current.databaseUrl);
  });
  return () => current;
}
