/** What the removal of old rows needs: the wallet that a document was made for, and an index for each kind of row. */
import type { Kysely } from "kysely";
import { IS_ENDED_PRACTICE, IS_MINT_SIGNING, IS_UNMINTED } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("metadataDocuments").addColumn("wallet", "text").execute();
  await schema
    .createIndex("unmintedDocuments")
    .on("metadataDocuments")
    .column("createdAtMs")
    .where(IS_UNMINTED)
    .execute();
  await schema.createIndex("endedPractice").on("sessions").column("endedAtMs").where(IS_ENDED_PRACTICE).execute();
  await schema.createIndex("mintSignings").on("signings").column("createdAtMs").where(IS_MINT_SIGNING).execute();
  await schema.createIndex("listingsByEnd").on("listings").column("endsAtMs").execute();
}
