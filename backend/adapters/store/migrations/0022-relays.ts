/** Transactions of other wallets whose gas the operator pays. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("relays")
    .addColumn("relayId", "text", (column) => column.primaryKey().notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("identity", "text", (column) => column.notNull())
    .addColumn("ip", "text", (column) => column.notNull())
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("gas", "bigint", (column) => column.notNull())
    .addColumn("transactionId", "text", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on("relays");
  await index("relaysByKey").columns(["wallet", "kind", "key", "createdAtMs"]).execute();
  // With the gas, so that a day's sums read the indexes only.
  await index("relaysByDay").columns(["day", "kind", "gas"]).execute();
  await index("relaysByIdentity").columns(["day", "identity", "gas"]).execute();
  await index("relaysByAddress").columns(["day", "ip", "kind", "gas"]).execute();
  await index("relaysByTime").column("createdAtMs").execute();
  await index("relaysByWallet").columns(["day", "wallet", "kind"]).execute();
}
