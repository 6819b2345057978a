/** Idempotency keys, metadata documents and profiles. */
import { type Kysely, sql } from "kysely";
import { IS_UNMINTED } from "../../conditions.ts";
import { isPostgres } from "../triggers.ts";

export async function createRequestTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
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
  await schema.createIndex("idempotencyKeysByAge").on("idempotencyKeys").column("createdAtMs").execute();

  await schema
    .createTable("metadataDocuments")
    .addColumn("digest", "text", (column) => column.primaryKey().notNull())
    .addColumn("bytes", "text", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    // The wallet that it was made for; its registration is not seen yet.
    .addColumn("wallet", "text")
    .execute();
  await schema
    .createIndex("unmintedDocuments")
    .on("metadataDocuments")
    .column("createdAtMs")
    .where(IS_UNMINTED)
    .execute();

  await schema
    .createTable("profiles")
    .addColumn("wallet", "text", (column) => column.primaryKey().notNull())
    .addColumn("agentName", "text", (column) => column.notNull())
    .addColumn("bio", "text", (column) => column.notNull())
    .addColumn("links", "text", (column) => column.notNull())
    .addColumn("image", "text")
    .addColumn("services", "text", (column) => column.notNull())
    .addColumn("updatedAtMs", "bigint", (column) => column.notNull())
    .execute();
}

/** Rate limits that backends on one PostgreSQL share. A single backend counts in memory, so that SQLite has none. */
export async function createRateBuckets(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  // Unlogged: the rows need no disk, and a crash of the server empties the table, so that every bucket is full again.
  // `taken`: how many tokens the last take got. One statement takes those of many requests.
  await sql`create unlogged table rate_buckets
    (name text collate "C" primary key, full_at_us bigint not null, taken bigint not null default 0)`.execute(db);
}
