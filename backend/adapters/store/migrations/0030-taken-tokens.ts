/** How many tokens of a shared bucket the last take got: one statement takes those of many requests. */
import { type Kysely, sql } from "kysely";
import { isPostgres } from "./triggers.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`alter table rate_buckets add column taken bigint not null default 0`.execute(db);
}
