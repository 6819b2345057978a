/** Community voting, and what the operator does: commands, hidden listings and the audit of both. */
import { type Kysely, sql } from "kysely";
import { IS_OPEN_COMMAND, IS_UNSETTLED } from "../../conditions.ts";
import { rejectChanges } from "../triggers.ts";

export async function createVotingTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("votingCycles")
    .addColumn("id", "integer", (column) => column.primaryKey().notNull())
    .addColumn("openingBlock", "bigint", (column) => column.notNull())
    .addColumn("opensAtMs", "bigint", (column) => column.notNull())
    .addColumn("closesAtMs", "bigint", (column) => column.notNull())
    .addColumn("closedAtMs", "bigint")
    .execute();
  await schema
    .createIndex("oneUnsettledCycle")
    .unique()
    .on("votingCycles")
    .expression(sql`(closed_at_ms is null)`)
    .where(IS_UNSETTLED)
    .execute();

  await schema
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
  await schema.createIndex("candidatesByAge").on("votingCandidates").columns(["appliedAtMs", "slug"]).execute();
  await schema
    .createIndex("candidatesByState")
    .on("votingCandidates")
    .columns(["state", "appliedAtMs", "slug"])
    .execute();
  await schema
    .createIndex("candidatesByCycle")
    .on("votingCandidates")
    .columns(["cycleId", "appliedAtMs", "slug"])
    .execute();

  await schema
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
  await schema.createIndex("votesBySource").on("votes").columns(["gameSlug", "voteSource"]).execute();
  await schema.createIndex("votesByTime").on("votes").columns(["gameSlug", "castAtMs", "wallet"]).execute();

  await rejectAllChanges(db, "votes");
}

export async function createOperatorTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("audit")
    .addColumn("auditId", "text", (column) => column.primaryKey().notNull())
    .addColumn("atMs", "bigint", (column) => column.notNull())
    .addColumn("who", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("before", "text")
    .addColumn("after", "text")
    .execute();
  await schema.createIndex("auditBySubject").on("audit").columns(["subject", "auditId"]).execute();

  await schema
    .createTable("orders")
    .addColumn("sessionId", "text", (column) => column.primaryKey().notNull().references("sessions.sessionId"))
    .addColumn("who", "text", (column) => column.notNull())
    .addColumn("requestedAtMs", "bigint", (column) => column.notNull())
    .addColumn("doneAtMs", "bigint")
    .execute();
  await schema
    .createIndex("openOrders")
    .on("orders")
    .columns(["requestedAtMs", "sessionId"])
    .where(IS_OPEN_COMMAND)
    .execute();

  await schema
    .createTable("hiddenListings")
    .addColumn("listingId", "text", (column) => column.primaryKey().notNull())
    .addColumn("wasVisible", "integer", (column) => column.notNull())
    .addColumn("hiddenAtMs", "bigint", (column) => column.notNull())
    .execute();
  await rejectAllChanges(db, "audit");
}

async function rejectAllChanges(db: Kysely<unknown>, table: "votes" | "audit"): Promise<void> {
  for (const verb of ["update", "delete"] as const)
    await rejectChanges(db, {
      name: `${table}_are_final_on_${verb}`,
      table,
      verb,
      message: `${table}: rows are final`,
    });
}
