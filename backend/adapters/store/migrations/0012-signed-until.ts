/** Until when the last signature of a session's score is valid. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("sessions").addColumn("signedUntilSeconds", "bigint").execute();
}
