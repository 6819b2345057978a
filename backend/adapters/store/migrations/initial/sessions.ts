/** Sessions, their recordings and the tokens of their channels. */
import { type Kysely, sql } from "kysely";
import {
  ENDED_PERIODS,
  HAS_FORFEITED_TIER,
  IS_ENDED_PRACTICE,
  IS_OPEN,
  IS_OPEN_AGENT_SESSION,
  IS_PENDING,
  IS_RANKED,
  IS_RUN,
  IS_UNVERIFIED,
} from "../../conditions.ts";
import { defineTable, indexesOf } from "../define-table.ts";
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
  // `owner`: the process that runs the session.
  defineTable(schema)`sessions:
    sessionId text key, slug text, source text, wallet text?, agentId text?, agentName text?, practiceTokenHash text?,
    phase text, seed text, seedCommitment text, entropy text?, rulesVersion integer, tickHz integer,
    startedAtMs bigint, endedAtMs bigint?, endReason text?, score bigint, tick bigint, replayDigest text?,
    transcriptSignature text?, gameSessionHash text? unique, sequence text?, verification text, preparedAtMs bigint?,
    signedUntilSeconds bigint?, isOnChain integer, forfeitedAtMs bigint?, forfeitedTier integer?, owner text?`
    .addCheckConstraint("endedHasItsTime", sql`(phase = 'ended') = (ended_at_ms is not null)`)
    .addCheckConstraint("agentHasItsWallet", sql`source <> 'agent_api' or wallet is not null`)
    .execute();

async function createSessionIndexes({ schema }: Kysely<unknown>): Promise<void> {
  const index = indexesOf(schema, "sessions");
  await index("oneOpenAgentSession", ["wallet", "slug"], IS_OPEN_AGENT_SESSION, true);
  await index("oneSessionPerSequence", ["wallet", "sequence"], undefined, true);
  await index("sessionsOfWallet", ["wallet", "slug", "startedAtMs", "sessionId"]);
  await index("openSessions", ["sessionId"], IS_OPEN);
  await index("liveSessions", ["slug", "startedAtMs", "sessionId"], IS_OPEN_AGENT_SESSION);
  await index("unverifiedSessions", ["sessionId"], IS_UNVERIFIED);
  await index("rankedSessions", ["wallet", "slug", "score desc", "sequence"], IS_RANKED);
  await index("pendingScores", ["wallet", "sequence"], IS_PENDING);
  await index("pendingScoresOfGame", ["wallet", "slug", "sequence"], IS_PENDING);
  await index("forfeitedTiers", ["wallet", "slug", "forfeitedTier"], HAS_FORFEITED_TIER);
  await index("endedPractice", ["endedAtMs"], IS_ENDED_PRACTICE);
}

/** Indexes for lists of runs by end and by score: of a game, of an agent in a game, and of a calendar period. */
async function createRunIndexes(db: Kysely<unknown>): Promise<void> {
  const index = indexesOf(db.schema, "sessions");
  const byEnd = ["endedAtMs desc", "sessionId desc"] as const;
  const byScore = ["score desc", "endedAtMs", "sessionId"] as const;
  await index("runsByEnd", ["slug", ...byEnd], IS_RUN);
  await index("runsByScore", ["slug", ...byScore], IS_RUN);
  await index("runsOfAgentByEnd", ["slug", "agentId", ...byEnd], IS_RUN);
  await index("runsOfAgentByScore", ["slug", "agentId", ...byScore], IS_RUN);
  for (const [period, endedPeriod] of Object.entries(ENDED_PERIODS)) {
    await sql`create index ${sql.raw(`runs_of_${period}_by_score`)}
      on sessions (slug, ${endedPeriod}, score desc, ended_at_ms, session_id) where ${IS_RUN}`.execute(db);
  }
}

async function createRecordings({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`recordingChunks:
    sessionId text -> sessions.sessionId, part integer, inputs text, pauses text`
    .addPrimaryKeyConstraint("recordingChunksKey", ["sessionId", "part"])
    .execute();
  await defineTable(schema)`recordings:
    sessionId text key -> sessions.sessionId, content blob`.execute();
}

async function createChannelTokens({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`channelTokens:
    tokenHash text key, kind text, sessionId text, wallet text?, familyId text?, ip text?, expiresAtMs bigint,
    usedAtMs bigint?, revokedAtMs bigint?`.execute();
  const index = indexesOf(schema, "channelTokens");
  await index("channelTokensOfSession", ["sessionId", "kind"]);
  await index("channelTokensByExpiry", ["expiresAtMs"]);
  await index("channelTokensByFamily", ["familyId"]);
  await index("channelTokensByWallet", ["wallet"]);
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
