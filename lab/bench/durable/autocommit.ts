/** The obvious store: Kysely on better-sqlite3 with a commit for each statement, as durable as ours. */
import Database from "better-sqlite3";
import { CamelCasePlugin, Kysely, SqliteDialect } from "kysely";
import { serveSide } from "../endpoint/side.ts";
import { createRow, type DurableOptions, serveWrites } from "./writes.ts";

interface Tables {
  signings: { kind: string; key: string; payloadHash: string; createdAtMs: number };
}

serveSide<DurableOptions>(async ({ databaseFile }) => {
  const database = new Database(databaseFile);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec(
    `create table signings (kind text not null, key text not null, payload_hash text not null,
       created_at_ms integer not null, primary key (kind, key))`,
  );
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }), plugins: [new CamelCasePlugin()] });
  return serveWrites((key) => {
    const { atMs, ...row } = createRow(key);
    return db
      .insertInto("signings")
      .values({ ...row, createdAtMs: atMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
});
