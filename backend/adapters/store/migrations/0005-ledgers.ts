/** Ledgers of what was signed, paid and sent. */
import type { Kysely } from "kysely";
import { IS_OPEN_PAYOUT, IS_OPEN_TRANSACTION } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("signings")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("payloadHash", "text", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("signingsKey", ["kind", "key"])
    .execute();

  await db.schema
    .createTable("payouts")
    .addColumn("payoutId", "text", (column) => column.primaryKey().notNull())
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("slug", "text")
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("transactionId", "text")
    .addColumn("txHash", "text")
    .addColumn("score", "text", (column) => column.notNull())
    .addColumn("amount", "text", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("oneOpenPayout").unique().on("payouts").column("wallet").where(IS_OPEN_PAYOUT).execute();
  await db.schema
    .createIndex("openPayouts")
    .on("payouts")
    .columns(["createdAtMs", "payoutId"])
    .where(IS_OPEN_PAYOUT)
    .execute();
  await db.schema.createIndex("payoutsByTxHash").on("payouts").columns(["txHash", "wallet"]).execute();

  await db.schema
    .createTable("transactions")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("from", "text", (column) => column.notNull())
    .addColumn("nonce", "bigint", (column) => column.notNull())
    .addColumn("to", "text", (column) => column.notNull())
    .addColumn("data", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("raw", "text", (column) => column.notNull())
    .addColumn("txHash", "text", (column) => column.notNull())
    .addColumn("maxFeePerGas", "text", (column) => column.notNull())
    .addColumn("maxPriorityFeePerGas", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("block", "bigint")
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .addColumn("sentAtMs", "bigint")
    .addUniqueConstraint("oneTransactionPerKey", ["kind", "key"])
    .addUniqueConstraint("oneTransactionPerNonce", ["from", "nonce"])
    .execute();
  await db.schema
    .createIndex("openTransactions")
    .on("transactions")
    .columns(["from", "nonce"])
    .where(IS_OPEN_TRANSACTION)
    .execute();
}
