import { Client } from "pg";
import { openStore, openStoreOn } from "../../../backend/adapters/store/open-store.ts";
import { openPostgres } from "../../../backend/adapters/store/postgres/dialect.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { useEach } from "../../helpers/fixture.ts";
import { type PostgresServer, usePostgres } from "../../helpers/postgres.ts";

type StoreOptions = Omit<Parameters<typeof openStore>[0], "databaseUrl">;
type Connections = Parameters<typeof openPostgres>[1] & { readonly url?: string };

/** A new PostgreSQL database for each test, and the stores that the test opens on it. */
export interface PostgresStores {
  readonly server: PostgresServer;
  readonly databaseUrl: string;
  /** Closed after the test. A test that closes one itself removes it. */
  readonly stores: Store[];
  open(options?: StoreOptions): Promise<Store>;
  openOn(connections: Connections, options?: StoreOptions): Promise<Store>;
  /** Another program, which is ended before the stores are closed. */
  connect(): Promise<Client>;
  /** Queries rows as another program. */
  query<Row>(sql: string): Promise<readonly Row[]>;
}

/** One server for the suite, and a database for each test. */
export function usePostgresStores(): PostgresStores {
  const getServer = usePostgres();
  return useEach(async () => {
    const server = getServer();
    const databaseUrl = await server.createDatabase();
    const [stores, clients]: [Store[], Client[]] = [[], []];
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
    return {
      server,
      databaseUrl,
      stores,
      open: (options?: StoreOptions) => keep(openStore({ databaseUrl, ...options })),
      openOn: async ({ url = databaseUrl, ...connections }: Connections, options: StoreOptions = {}) =>
        await keep(openStoreOn(await openPostgres(url, connections), options)),
      connect,
      async query<Row>(sql: string): Promise<readonly Row[]> {
        const client = await connect();
        return (await client.query(sql).finally(() => client.end())).rows;
      },
      async close(): Promise<void> {
        for (const client of clients) await client.end();
        for (const store of stores) await store.close();
        await server.dropDatabase(databaseUrl);
      },
    };
  });
}
