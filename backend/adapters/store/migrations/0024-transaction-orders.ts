/** What the operator orders for a transaction by hand, and the call that a cancellation took the place of. */
import type { Kysely } from "kysely";
import { IS_OPEN_COMMAND } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("transactions").addColumn("cancelledRaw", "text").execute();
  await db.schema
    .createTable("transactionOrders")
    .addColumn("orderId", "text", (column) => column.primaryKey().notNull())
    .addColumn("transactionId", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("who", "text", (column) => column.notNull())
    .addColumn("requestedAtMs", "bigint", (column) => column.notNull())
    .addColumn("doneAtMs", "bigint")
    .addColumn("outcome", "text")
    .execute();
  await db.schema
    .createIndex("openTransactionOrders")
    .on("transactionOrders")
    .column("orderId")
    .where(IS_OPEN_COMMAND)
    .execute();
}
