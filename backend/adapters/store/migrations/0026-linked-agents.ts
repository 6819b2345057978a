/** Agents of other registries that wallets have linked: one for each wallet, and one wallet for each agent. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("linkedAgents")
    .addColumn("wallet", "text", (column) => column.primaryKey().notNull())
    .addColumn("registry", "text", (column) => column.notNull())
    .addColumn("agentId", "text", (column) => column.notNull())
    .addColumn("deadline", "text", (column) => column.notNull())
    .addColumn("signature", "text", (column) => column.notNull())
    .addColumn("linkedAtMs", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("linkedAgentsByAgent")
    .on("linkedAgents")
    .columns(["registry", "agentId"])
    .unique()
    .execute();
}
