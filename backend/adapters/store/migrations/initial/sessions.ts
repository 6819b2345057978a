/** Sessions, their recordings and the tokens of their channels. */
import { type Kysely, sql } from "kysely";
import {
  ENDED_PERIODS,
  HAS_FORFEITED_TIER,
  IS_CLAIMABLE,
  IS_ENDED_PRACTICE,
  IS_OPEN,
  IS_OPEN_AGENT_SESSION,
  IS_PENDING,
  IS_RANKED,
  IS_RUN,
  IS_UNVERIFIED,
} from "../../conditions.ts";
import { rejectChanges, runForEachRow } from "../triggers.ts";

/** Columns that signatures depend on. */
const RESULT_COLUMNS = [
  "session_id",
  "slug",
  "source",
  "wallet",
  "seed",
  "rules_version",
  "tick_hz",
  "phase",
  "ended_at_ms",
  "end_reason",
  "score",
  "tick",
  "replay_digest",
  "game_session_hash",
  "sequence",
] as const;

export async function createSessionTables(db: Kysely<unknown>): Promise<void> {
  await createSessions(db);
  await createSessionIndexes(db);
  await createRunIndexes(db);
  await createRecordings(db);
  await createChannelTokens(db);
  await createFinalityTriggers(db);
  await createSnapshotTriggers(db);
}

const createSessions = ({ schema }: Kysely<unknown>): Promise<void> =>
  schema
    .createTable("sessions")
    .addColumn("sessionId", "text", (column) => column.primaryKey().notNull())
    .addColumn("slug", "text", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("wallet", "text")
    .addColumn("agentId", "text")
    .addColumn("agentName", "text")
    .addColumn("practiceTokenHash", "text")
    .addColumn("phase", "text", (column) => column.notNull())
    .addColumn("seed", "text", (column) => column.notNull())
    .addColumn("seedCommitment", "text", (column) => column.notNull())
    .addColumn("entropy", "text")
    .addColumn("rulesVersion", "integer", (column) => column.notNull())
    .addColumn("tickHz", "integer", (column) => column.notNull())
    .addColumn("startedAtMs", "bigint", (column) => column.notNull())
    .addColumn("endedAtMs", "bigint")
    .addColumn("endReason", "text")
    .addColumn("score", "bigint", (column) => column.notNull())
    .addColumn("tick", "bigint", (column) => column.notNull())
    .addColumn("replayDigest", "text")
    .addColumn("transcriptSignature", "text")
    .addColumn("gameSessionHash", "text", (column) => column.unique())
    .addColumn("sequence", "text")
    .addColumn("verification", "text", (column) => column.notNull())
    .addColumn("preparedAtMs", "bigint")
    .addColumn("signedUntilSeconds", "bigint")
    .addColumn("isOnChain", "integer", (column) => column.notNull())
    .addColumn("forfeitedAtMs", "bigint")
    .addColumn("forfeitedTier", "integer")
    // The process that runs the session.
    .addColumn("owner", "text")
    .addCheckConstraint("endedHasItsTime", sql`(phase = 'ended') = (ended_at_ms is not null)`)
    .addCheckConstraint("agentHasItsWallet", sql`source <> 'agent_api' or wallet is not null`)
    .execute();

async function createSessionIndexes({ schema }: Kysely<unknown>): Promise<void> {
  const index = (name: string) => schema.createIndex(name).on("sessions");
  await index("oneOpenAgentSession").unique().columns(["wallet", "slug"]).where(IS_OPEN_AGENT_SESSION).execute();
  await index("oneSessionPerSequence").unique().columns(["wallet", "sequence"]).execute();
  await index("sessionsOfWallet").columns(["wallet", "slug", "startedAtMs", "sessionId"]).execute();
  await index("openSessions").column("sessionId").where(IS_OPEN).execute();
  await index("liveSessions").columns(["slug", "startedAtMs", "sessionId"]).where(IS_OPEN_AGENT_SESSION).execute();
  await index("unverifiedSessions").column("sessionId").where(IS_UNVERIFIED).execute();
  await index("rankedSessions")
    .columns(["wallet", "slug", "score desc", "sequence"] as const)
    .where(IS_RANKED)
    .execute();
  await index("claimableSessions").columns(["wallet", "sequence"]).where(IS_CLAIMABLE).execute();
  await index("claimableSessionsOfGame").columns(["wallet", "slug", "sequence"]).where(IS_CLAIMABLE).execute();
  await index("pendingScores").columns(["wallet", "sequence"]).where(IS_PENDING).execute();
  await index("pendingScoresOfGame").columns(["wallet", "slug", "sequence"]).where(IS_PENDING).execute();
  await index("forfeitedTiers").columns(["wallet", "slug", "forfeitedTier"]).where(HAS_FORFEITED_TIER).execute();
  await index("endedPractice").column("endedAtMs").where(IS_ENDED_PRACTICE).execute();
}

/** Indexes of the lists of runs: by end and by score, of a game, of one of its agents, and of a calendar period. */
async function createRunIndexes(db: Kysely<unknown>): Promise<void> {
  const index = (name: string) => db.schema.createIndex(name).on("sessions");
  const byEnd = ["endedAtMs desc", "sessionId desc"] as const;
  const byScore = ["score desc", "endedAtMs", "sessionId"] as const;
  await index("runsByEnd")
    .columns(["slug", ...byEnd])
    .where(IS_RUN)
    .execute();
  await index("runsByScore")
    .columns(["slug", ...byScore])
    .where(IS_RUN)
    .execute();
  await index("runsOfAgentByEnd")
    .columns(["slug", "agentId", ...byEnd])
    .where(IS_RUN)
    .execute();
  await index("runsOfAgentByScore")
    .columns(["slug", "agentId", ...byScore])
    .where(IS_RUN)
    .execute();
  for (const [period, endedPeriod] of Object.entries(ENDED_PERIODS)) {
    await sql`create index ${sql.raw(`runs_of_${period}_by_score`)}
      on sessions (slug, ${endedPeriod}, score desc, ended_at_ms, session_id) where ${IS_RUN}`.execute(db);
  }
}

async function createRecordings({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("recordingChunks")
    .addColumn("sessionId", "text", (column) => column.notNull().references("sessions.sessionId"))
    .addColumn("part", "integer", (column) => column.notNull())
    .addColumn("inputs", "text", (column) => column.notNull())
    .addColumn("stateDigests", "text", (column) => column.notNull())
    .addColumn("pauses", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("recordingChunksKey", ["sessionId", "part"])
    .execute();
  await schema
    .createTable("recordings")
    .addColumn("sessionId", "text", (column) => column.primaryKey().notNull().references("sessions.sessionId"))
    .addColumn("content", "blob", (column) => column.notNull())
    .execute();
}

async function createChannelTokens({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("channelTokens")
    .addColumn("tokenHash", "text", (column) => column.primaryKey().notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("sessionId", "text", (column) => column.notNull())
    .addColumn("wallet", "text")
    .addColumn("familyId", "text")
    .addColumn("ip", "text")
    .addColumn("expiresAtMs", "bigint", (column) => column.notNull())
    .addColumn("usedAtMs", "bigint")
    .addColumn("revokedAtMs", "bigint")
    .execute();
  const index = (name: string) => schema.createIndex(name).on("channelTokens");
  await index("channelTokensOfSession").columns(["sessionId", "kind"]).execute();
  await index("channelTokensByExpiry").column("expiresAtMs").execute();
  await index("channelTokensByFamily").column("familyId").execute();
  await index("channelTokensByWallet").column("wallet").execute();
}

async function createFinalityTriggers(db: Kysely<unknown>): Promise<void> {
  await rejectChanges(db, {
    name: "session_results_are_final",
    table: "sessions",
    verb: "update",
    columns: RESULT_COLUMNS,
    when: sql<boolean>`old.phase = 'ended'`,
    message: "the result of an ended session is final",
  });
  // An admin command may withhold a verified score; a withheld score stays withheld.
  await rejectChanges(db, {
    name: "verifications_are_final",
    table: "sessions",
    verb: "update",
    columns: ["verification"],
    when: sql<boolean>`old.verification = 'withheld' or (old.verification = 'verified' and new.verification <> 'withheld')`,
    message: "the verification of a session is final",
  });
  await rejectChanges(db, {
    name: "recordings_are_final",
    table: "recordings",
    verb: "update",
    message: "the recording of an ended session is final",
  });
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

/** `is_on_chain` follows the stored events, also when a reorganization removes them. */
async function createSnapshotTriggers(db: Kysely<unknown>): Promise<void> {
  await runForEachRow(db, {
    name: "snapshots_mark_their_session",
    event: "after insert on chain_events",
    when: sql<boolean>`new.name = 'ScoreSnapshot'`,
    statement: sql`update sessions set is_on_chain = 1
      where game_session_hash = new.game_session_hash and wallet = new.wallet`,
  });
  await runForEachRow(db, {
    name: "removed_snapshots_unmark_their_session",
    event: "after delete on chain_events",
    when: sql<boolean>`old.name = 'ScoreSnapshot'`,
    statement: sql`update sessions set is_on_chain = 0
      where game_session_hash = old.game_session_hash and wallet = old.wallet`,
  });
  // A restored backup may have the events of a session that ends after them.
  const hasSnapshot = sql`exists (select 1 from chain_events where name = 'ScoreSnapshot'
  and chain_events.game_session_hash = sessions.game_session_hash and chain_events.wallet = sessions.wallet)`;
  await runForEachRow(db, {
    name: "sessions_find_their_snapshot",
    event: "after update of game_session_hash on sessions",
    when: sql<boolean>`new.game_session_hash is not null`,
    statement: sql`update sessions set is_on_chain = case when ${hasSnapshot} then 1 else 0 end
      where session_id = new.session_id`,
  });
}
