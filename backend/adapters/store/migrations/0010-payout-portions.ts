/** The points that stay in the bank after a payout, which may pay a portion. */
import type { Kysely } from "kysely";
import { packUint } from "../numbers.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("payouts")
    .addColumn("remaining", "text", (column) => column.notNull().defaultTo(packUint(0n)))
    .execute();
}
