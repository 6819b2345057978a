/** Community voting, and admin commands. */
import { type Kysely, sql } from "kysely";
import { IS_OPEN_COMMAND, IS_UNSETTLED } from "../conditions.ts";
import { acceptChanges, rejectChanges } from "./triggers.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("votingCycles")
    .addColumn("id", "integer", (column) => column.primaryKey().notNull())
    .addColumn("openingBlock", "bigint", (column) => column.notNull())
    .addColumn("opensAtMs", "bigint", (column) => column.notNull())
    .addColumn("closesAtMs", "bigint", (column) => column.notNull())
    .addColumn("closedAtMs", "bigint")
    .execute();
  await db.schema
    .createIndex("oneUnsettledCycle")
    .unique()
    .on("votingCycles")
    .expression(sql`(closed_at_ms is null)`)
    .where(IS_UNSETTLED)
    .execute();

  await db.schema
    .createTable("votingCandidates")
    .addColumn("slug", "text", (column) => column.primaryKey().notNull())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("developer", "text", (column) => column.notNull())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("note", "text")
    .addColumn("cycleId", "integer", (column) => column.references("votingCycles.id"))
    .addColumn("appliedAtMs", "bigint", (column) => column.notNull())
    .addColumn("changedAtMs", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("candidatesByAge").on("votingCandidates").columns(["appliedAtMs", "slug"]).execute();
  await db.schema
    .createIndex("candidatesByState")
    .on("votingCandidates")
    .columns(["state", "appliedAtMs", "slug"])
    .execute();
  await db.schema
    .createIndex("candidatesByCycle")
    .on("votingCandidates")
    .columns(["cycleId", "appliedAtMs", "slug"])
    .execute();

  await db.schema
    .createTable("votes")
    .addColumn("gameSlug", "text", (column) => column.notNull().references("votingCandidates.slug"))
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("cycleId", "integer", (column) => column.notNull().references("votingCycles.id"))
    .addColumn("voteSource", "text", (column) => column.notNull())
    .addColumn("agentId", "text")
    .addColumn("nonce", "text", (column) => column.notNull().unique())
    .addColumn("proof", "text", (column) => column.notNull())
    .addColumn("signature", "text", (column) => column.notNull())
    .addColumn("castAtMs", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("oneVotePerWalletAndGame", ["gameSlug", "wallet"])
    .execute();
  await db.schema.createIndex("votesBySource").on("votes").columns(["gameSlug", "voteSource"]).execute();
  await db.schema.createIndex("votesByTime").on("votes").columns(["gameSlug", "castAtMs", "wallet"]).execute();

  await db.schema
    .createTable("audit")
    .addColumn("auditId", "text", (column) => column.primaryKey().notNull())
    .addColumn("atMs", "bigint", (column) => column.notNull())
    .addColumn("who", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("before", "text")
    .addColumn("after", "text")
    .execute();
  await db.schema.createIndex("auditBySubject").on("audit").columns(["subject", "auditId"]).execute();

  await db.schema
    .createTable("orders")
    .addColumn("sessionId", "text", (column) => column.primaryKey().notNull().references("sessions.sessionId"))
    .addColumn("who", "text", (column) => column.notNull())
    .addColumn("requestedAtMs", "bigint", (column) => column.notNull())
    .addColumn("doneAtMs", "bigint")
    .execute();
  await db.schema
    .createIndex("openOrders")
    .on("orders")
    .columns(["requestedAtMs", "sessionId"])
    .where(IS_OPEN_COMMAND)
    .execute();

  await createFinalityTriggers(db);
}

/** Rejects changes of votes, of audit rows and of final verifications. */
async function createFinalityTriggers(db: Kysely<unknown>): Promise<void> {
  for (const table of ["votes", "audit"])
    for (const verb of ["update", "delete"] as const)
      await rejectChanges(db, {
        name: `${table}_are_final_on_${verb}`,
        table,
        verb,
        message: `${table}: rows are final`,
      });
  // An admin command may withhold a verified score; a withheld score stays withheld.
  const name = "verifications_are_final";
  await acceptChanges(db, { name, table: "sessions" });
  await rejectChanges(db, {
    name,
    table: "sessions",
    verb: "update",
    columns: ["verification"],
    when: sql<boolean>`old.verification = 'withheld' or (old.verification = 'verified' and new.verification <> 'withheld')`,
    message: "the verification of a session is final",
  });
}
