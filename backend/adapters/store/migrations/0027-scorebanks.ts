/** A wallet's bank after each of its events, so that reading it costs the same with any number of snapshots. */
import type { Kysely } from "kysely";
import { rebuildBanks } from "../chain/bank-rows.ts";
import type { Db } from "../schema.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
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
  await db.schema.createIndex("scorebanksByBlock").on("scorebanks").column("block").execute();
  // What was sent and paid before this table existed.
  await rebuildBanks(db as unknown as Db, 0);
}
