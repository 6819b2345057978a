/** What replays of version 2 have besides: the player's entropy, pauses, and the signature of a transcript. */
import { type Kysely, sql } from "kysely";
import { rejectChanges } from "./triggers.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("sessions").addColumn("entropy", "text").execute();
  await schema.alterTable("sessions").addColumn("transcriptSignature", "text").execute();
  await schema
    .alterTable("recordingChunks")
    .addColumn("pauses", "text", (column) => column.notNull().defaultTo("[]"))
    .execute();
  await rejectChanges(db, {
    name: "session_entropy_is_final",
    table: "sessions",
    verb: "update",
    columns: ["entropy"],
    when: sql<boolean>`old.entropy is not null and new.entropy is distinct from old.entropy`,
    message: "the entropy of a session is final",
  });
  await rejectChanges(db, {
    name: "transcript_signatures_are_final",
    table: "sessions",
    verb: "update",
    columns: ["transcript_signature"],
    when: sql<boolean>`old.transcript_signature is not null`,
    message: "the signature of a transcript is final",
  });
}
