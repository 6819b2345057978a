/** The operator's transactions of a day, which its policy counts. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const index = db.schema.createIndex("transactionsByTime").on("transactions");
  await index.columns(["from", "createdAtMs"]).execute();
}
