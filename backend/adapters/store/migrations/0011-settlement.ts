/** Payouts and transactions are watched until their block is final, and can be opened again by a reorganization. */
import { type Kysely, sql } from "kysely";
import { IS_FIRST_OPEN_PAYOUT, IS_NOT_SETTLED, IS_OPEN_PAYOUT } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("transactions").addColumn("settledAtMs", "bigint").execute();
  await db.schema.alterTable("transactions").addColumn("lastError", "text").execute();
  await db.schema.alterTable("payouts").addColumn("settledAtMs", "bigint").execute();
  await db.schema.alterTable("payouts").addColumn("reopenedAtMs", "bigint").execute();
  // The earlier program has confirmed them.
  for (const table of ["transactions", "payouts"])
    await sql`update ${sql.table(table)} set settled_at_ms = created_at_ms where status in ('included', 'failed')`.execute(
      db,
    );

  await db.schema.dropIndex("openTransactions").execute();
  await db.schema
    .createIndex("unsettledTransactions")
    .on("transactions")
    .columns(["from", "nonce"])
    .where(IS_NOT_SETTLED)
    .execute();
  await db.schema.dropIndex("oneOpenPayout").execute();
  await db.schema
    .createIndex("oneOpenPayout")
    .unique()
    .on("payouts")
    .column("wallet")
    .where(IS_FIRST_OPEN_PAYOUT)
    .execute();
  await db.schema
    .createIndex("openPayoutsOfWallet")
    .on("payouts")
    .columns(["wallet", "createdAtMs"])
    .where(IS_OPEN_PAYOUT)
    .execute();
  await db.schema
    .createIndex("unsettledPayouts")
    .on("payouts")
    .columns(["createdAtMs", "payoutId"])
    .where(IS_NOT_SETTLED)
    .execute();
  await db.schema
    .createIndex("unsettledPayoutsOfWallet")
    .on("payouts")
    .columns(["wallet", "createdAtMs"])
    .where(IS_NOT_SETTLED)
    .execute();
}
