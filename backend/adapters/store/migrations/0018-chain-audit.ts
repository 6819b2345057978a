/** Registrations are counted when the stored events are compared with the contracts. */
import type { Kysely } from "kysely";
import { IS_REGISTRATION } from "../conditions.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("registrations").on("chainEvents").column("block").where(IS_REGISTRATION).execute();
}
