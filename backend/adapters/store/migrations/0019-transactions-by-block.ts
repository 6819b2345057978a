/** The operator's transactions that wait for a block, and the watched ones by their block. */
import type { Kysely } from "kysely";
import { IS_NOT_SETTLED, IS_WAITING } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const index = (name: string) => db.schema.createIndex(name).on("transactions");
  await index("waitingTransactions").columns(["from", "nonce"]).where(IS_WAITING).execute();
  await index("unsettledTransactionsByBlock").columns(["from", "block"]).where(IS_NOT_SETTLED).execute();
}
