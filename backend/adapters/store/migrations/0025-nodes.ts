/** The backends that work on this database; `sessions.owner` (0013) names the one that runs a session. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("nodes")
    .addColumn("nodeId", "text", (column) => column.primaryKey().notNull())
    .addColumn("leaseUntilMs", "bigint", (column) => column.notNull())
    .addColumn("startedAtMs", "bigint", (column) => column.notNull())
    .addColumn("url", "text")
    .addColumn("isExclusive", "integer", (column) => column.notNull())
    .execute();
}
