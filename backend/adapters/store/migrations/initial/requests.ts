/** Idempotency keys, metadata documents and profiles. */
import { type Kysely, sql } from "kysely";
import { IS_UNMINTED } from "../../conditions.ts";
import { defineTable, indexesOf } from "../define-table.ts";
import { isPostgres } from "../triggers.ts";

export async function createRequestTables({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`idempotencyKeys:
    caller text, route text, key text, bodyHash text, status integer?, body text?, createdAtMs bigint`
    .addPrimaryKeyConstraint("idempotencyKeysKey", ["caller", "route", "key"])
    .execute();
  await indexesOf(schema, "idempotencyKeys")("idempotencyKeysByAge", ["createdAtMs"]);

  // `wallet`: the wallet that the document was made for, until its registration is seen.
  await defineTable(schema)`metadataDocuments:
    digest text key, bytes text, createdAtMs bigint, wallet text?`.execute();
  await indexesOf(schema, "metadataDocuments")("unmintedDocuments", ["createdAtMs"], IS_UNMINTED);

  await defineTable(schema)`profiles:
    wallet text key, agentName text, bio text, links text, image text?, services text, updatedAtMs bigint`.execute();
}

/** The deployment that a store belongs to: one row for its chain id and one for each contract. */
export const createDeploymentTable = ({ schema }: Kysely<unknown>): Promise<void> =>
  defineTable(schema)`deployment: part text key, value text`.execute();

/** Rate limits that backends on one PostgreSQL share. A single backend counts in memory, so that SQLite has none. */
export async function createRateBuckets(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  // Unlogged: the rows need no disk, and a crash of the server empties the table, so that every bucket is full again.
  // `taken`: the tokens that the last statement got; one statement takes tokens for many requests.
  await sql`create unlogged table rate_buckets
    (name text collate "C" primary key, full_at_us bigint not null, taken bigint not null default 0)`.execute(db);
}
