/** Idempotency keys, metadata documents, profiles, and the table the readiness probe writes to. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("idempotencyKeys")
    .addColumn("caller", "text", (column) => column.notNull())
    .addColumn("route", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("bodyHash", "text", (column) => column.notNull())
    .addColumn("status", "integer")
    .addColumn("body", "text")
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("idempotencyKeysKey", ["caller", "route", "key"])
    .execute();
  await db.schema.createIndex("idempotencyKeysByAge").on("idempotencyKeys").column("createdAtMs").execute();

  await db.schema
    .createTable("metadataDocuments")
    .addColumn("digest", "text", (column) => column.primaryKey().notNull())
    .addColumn("bytes", "text", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("profiles")
    .addColumn("wallet", "text", (column) => column.primaryKey().notNull())
    .addColumn("agentName", "text", (column) => column.notNull())
    .addColumn("bio", "text", (column) => column.notNull())
    .addColumn("links", "text", (column) => column.notNull())
    .addColumn("image", "text")
    .addColumn("services", "text", (column) => column.notNull())
    .addColumn("updatedAtMs", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("probes")
    .addColumn("id", "integer", (column) => column.primaryKey().notNull())
    .execute();
}
