/** What replays of version 2 have besides: the player's entropy, pauses, and the signature of a transcript. */
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("sessions").addColumn("entropy", "text").execute();
  await schema.alterTable("sessions").addColumn("transcriptSignature", "text").execute();
  await schema
    .alterTable("recordingChunks")
    .addColumn("pauses", "text", (column) => column.notNull().defaultTo("[]"))
    .execute();
  // (SQLite's form of a trigger.)
  await sql`
    create trigger session_entropy_is_final
    before update of entropy on sessions
    when old.entropy is not null and new.entropy is not old.entropy
    begin select raise(abort, 'the entropy of a session is final'); end`.execute(db);
  await sql`
    create trigger transcript_signatures_are_final
    before update of transcript_signature on sessions
    when old.transcript_signature is not null
    begin select raise(abort, 'the signature of a transcript is final'); end`.execute(db);
}
