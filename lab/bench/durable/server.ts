/** A server that stores one row for each request, and then answers. */
import Database from "better-sqlite3";
import { CamelCasePlugin, Kysely, SqliteDialect } from "kysely";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { listen, serveSide } from "../server/process.ts";

interface Tables {
  signings: { kind: string; key: string; payloadHash: string; createdAtMs: number };
}

export interface DurableOptions {
  readonly databaseFile: string;
  readonly mode: keyof typeof STORES;
}

/** Stores a row; `key` differs for each request. */
type StoreRow = (key: string) => Promise<unknown>;

const createRow = (key: string) => ({ kind: "bench", key, payloadHash: `0x${"11".repeat(32)}` }) as const;

const STORES = {
  /** The service's store, in which simultaneous writes share a commit. */
  grouped: async (databaseFile: string): Promise<StoreRow> => {
    const store = await openStore({ databaseUrl: `sqlite:${databaseFile}` });
    return (key) => store.signings.record({ ...createRow(key), atMs: Date.now() });
  },
  /** The obvious store: Kysely on better-sqlite3 with a commit for each statement, as durable as ours. */
  autocommit: async (databaseFile: string): Promise<StoreRow> => {
    const database = new Database(databaseFile);
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.exec(
      `create table signings (kind text not null, key text not null, payload_hash text not null,
         created_at_ms integer not null, primary key (kind, key))`,
    );
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }), plugins: [new CamelCasePlugin()] });
    return (key) =>
      db
        .insertInto("signings")
        .values({ ...createRow(key), createdAtMs: Date.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  },
  /** The idle side: it answers at once and stores nothing. */
  forgetful: async (databaseFile: string): Promise<StoreRow> => {
    await openStore({ databaseUrl: `sqlite:${databaseFile}` });
    return async () => undefined;
  },
};

serveSide<DurableOptions>(async ({ databaseFile, mode }) => {
  const store = await STORES[mode](databaseFile);
  return await listen((request, response) => {
    request.resume();
    request.on("end", () => {
      store(request.url ?? "").then(
        () => response.writeHead(200, { "Content-Length": 6 }).end("stored"),
        () => response.writeHead(500, { "Content-Length": 6 }).end("failed"),
      );
    });
  });
});
