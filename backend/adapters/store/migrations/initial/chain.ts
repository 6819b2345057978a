/** Blocks and events of the chain, and sums over the events. */
import type { Kysely } from "kysely";
import { IS_REGISTRATION, IS_SNAPSHOT } from "../../conditions.ts";

export async function createChainTables(db: Kysely<unknown>): Promise<void> {
  await createEvents(db);
  await createSums(db);
}

async function createEvents({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("blocks")
    .addColumn("number", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .execute();

  await schema
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
    .addColumn("uri", "text")
    .addPrimaryKeyConstraint("chainEventsKey", ["txHash", "logIndex", "blockHash"])
    .execute();

  const index = (name: string) => schema.createIndex(name).on("chainEvents");
  await index("eventsByBlock").column("block").execute();
  await index("eventsOfWallet").columns(["wallet", "name", "position"]).execute();
  await index("eventsOfToken").columns(["slug", "tokenId", "position"]).execute();
  await index("oneSnapshotPerSession").unique().columns(["gameSessionHash", "wallet"]).where(IS_SNAPSHOT).execute();
  await index("snapshotSequences").columns(["wallet", "sequence"]).where(IS_SNAPSHOT).execute();
  await index("snapshotsOfGame").columns(["wallet", "slug", "position"]).where(IS_SNAPSHOT).execute();
  await index("registrations").column("block").where(IS_REGISTRATION).execute();
}

async function createSums({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("chainTotals")
    .addColumn("block", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("blockTime", "bigint", (column) => column.notNull())
    .addColumn("snapshots", "bigint", (column) => column.notNull())
    .addColumn("payouts", "bigint", (column) => column.notNull())
    .addColumn("paid", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("chainTotalsByTime").on("chainTotals").columns(["blockTime", "block"]).execute();

  // A wallet's bank after each of its events, so that reading it costs the same with any number of snapshots.
  await schema
    .createTable("scorebanks")
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("position", "bigint", (column) => column.notNull())
    .addColumn("block", "bigint", (column) => column.notNull())
    .addColumn("score", "text", (column) => column.notNull())
    .addColumn("snapshots", "bigint", (column) => column.notNull())
    .addColumn("lastSnapshotAt", "bigint")
    .addColumn("byGame", "text", (column) => column.notNull())
    .addColumn("paidByGame", "text")
    .addColumn("oldestPosition", "bigint")
    .addColumn("oldestPoints", "text")
    .addPrimaryKeyConstraint("scorebanksKey", ["wallet", "position"])
    .execute();
  await schema.createIndex("scorebanksByBlock").on("scorebanks").column("block").execute();
}
