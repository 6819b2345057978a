/** Blocks and events of the chain. */
import type { Kysely } from "kysely";
import { IS_SNAPSHOT } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("blocks")
    .addColumn("number", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("chainEvents")
    .addColumn("block", "bigint", (column) => column.notNull())
    .addColumn("blockHash", "text", (column) => column.notNull())
    .addColumn("blockTime", "bigint", (column) => column.notNull())
    .addColumn("txHash", "text", (column) => column.notNull())
    .addColumn("logIndex", "integer", (column) => column.notNull())
    .addColumn("position", "bigint", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("slug", "text")
    .addColumn("gameSessionHash", "text")
    .addColumn("sequence", "text")
    .addColumn("tokenId", "text")
    .addColumn("tier", "integer")
    .addColumn("score", "text")
    .addColumn("scorebank", "text")
    .addColumn("amount", "text")
    .addPrimaryKeyConstraint("chainEventsKey", ["txHash", "logIndex", "blockHash"])
    .execute();

  const index = (name: string) => db.schema.createIndex(name).on("chainEvents");
  await index("eventsByBlock").column("block").execute();
  await index("eventsOfWallet").columns(["wallet", "name", "position"]).execute();
  await index("eventsOfToken").columns(["slug", "tokenId", "position"]).execute();
  await index("oneSnapshotPerSession").unique().columns(["gameSessionHash", "wallet"]).where(IS_SNAPSHOT).execute();
  await index("snapshotSequences").columns(["wallet", "sequence"]).where(IS_SNAPSHOT).execute();
  await index("snapshotsOfGame").columns(["wallet", "slug", "position"]).where(IS_SNAPSHOT).execute();
}
