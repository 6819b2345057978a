/** Community voting, and the operator's commands, hidden listings and their audit. */
import { type Kysely, sql } from "kysely";
import { IS_OPEN_COMMAND, IS_UNSETTLED } from "../../conditions.ts";
import { defineTable, indexesOf } from "../define-table.ts";
import { rejectChanges } from "../triggers.ts";

export async function createVotingTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await defineTable(schema)`votingCycles:
    id integer key, openingBlock bigint, opensAtMs bigint, closesAtMs bigint, closedAtMs bigint?`.execute();
  await schema
    .createIndex("oneUnsettledCycle")
    .unique()
    .on("votingCycles")
    .expression(sql`(closed_at_ms is null)`)
    .where(IS_UNSETTLED)
    .execute();

  await defineTable(schema)`votingCandidates:
    slug text key, title text, developer text, url text, state text, note text?, cycleId integer? -> votingCycles.id,
    appliedAtMs bigint, changedAtMs bigint`.execute();
  await indexesOf(schema, "votingCandidates")("candidatesByAge", ["appliedAtMs", "slug"]);
  await indexesOf(schema, "votingCandidates")("candidatesByState", ["state", "appliedAtMs", "slug"]);
  await indexesOf(schema, "votingCandidates")("candidatesByCycle", ["cycleId", "appliedAtMs", "slug"]);

  await defineTable(schema)`votes:
    gameSlug text -> votingCandidates.slug, wallet text, cycleId integer -> votingCycles.id, voteSource text,
    agentId text?, nonce text unique, proof text, signature text, castAtMs bigint`
    .addPrimaryKeyConstraint("oneVotePerWalletAndGame", ["gameSlug", "wallet"])
    .execute();
  await indexesOf(schema, "votes")("votesBySource", ["gameSlug", "voteSource"]);
  await indexesOf(schema, "votes")("votesByTime", ["gameSlug", "castAtMs", "wallet"]);

  await rejectAllChanges(db, "votes");
}

export async function createOperatorTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await defineTable(schema)`audit:
    auditId text key, atMs bigint, who text, action text, subject text, before text?, after text?`.execute();
  await indexesOf(schema, "audit")("auditBySubject", ["subject", "auditId"]);

  await defineTable(schema)`orders:
    sessionId text key -> sessions.sessionId, who text, requestedAtMs bigint, doneAtMs bigint?`.execute();
  await indexesOf(schema, "orders")("openOrders", ["requestedAtMs", "sessionId"], IS_OPEN_COMMAND);

  await defineTable(schema)`hiddenListings:
    listingId text key, wasVisible integer, hiddenAtMs bigint`.execute();
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
