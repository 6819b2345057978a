/** Sessions, their recordings and the tokens of their channels. */
import { type Kysely, sql } from "kysely";
import {
  HAS_FORFEITED_TIER,
  IS_CLAIMABLE,
  IS_OPEN,
  IS_OPEN_AGENT_SESSION,
  IS_RANKED,
  IS_UNVERIFIED,
} from "../conditions.ts";
import { rejectChanges } from "./triggers.ts";

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

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
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
    .addColumn("rulesVersion", "integer", (column) => column.notNull())
    .addColumn("tickHz", "integer", (column) => column.notNull())
    .addColumn("startedAtMs", "bigint", (column) => column.notNull())
    .addColumn("endedAtMs", "bigint")
    .addColumn("endReason", "text")
    .addColumn("score", "bigint", (column) => column.notNull())
    .addColumn("tick", "bigint", (column) => column.notNull())
    .addColumn("replayDigest", "text")
    .addColumn("gameSessionHash", "text", (column) => column.unique())
    .addColumn("sequence", "text")
    .addColumn("verification", "text", (column) => column.notNull())
    .addColumn("preparedAtMs", "bigint")
    .addColumn("forfeitedAtMs", "bigint")
    .addColumn("forfeitedTier", "integer")
    .addCheckConstraint("endedHasItsTime", sql`(phase = 'ended') = (ended_at_ms is not null)`)
    .addCheckConstraint("agentHasItsWallet", sql`source <> 'agent_api' or wallet is not null`)
    .execute();

  const index = (name: string) => db.schema.createIndex(name).on("sessions");
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
  await index("forfeitedTiers").columns(["wallet", "slug", "forfeitedTier"]).where(HAS_FORFEITED_TIER).execute();

  await db.schema
    .createTable("recordingChunks")
    .addColumn("sessionId", "text", (column) => column.notNull().references("sessions.sessionId"))
    .addColumn("part", "integer", (column) => column.notNull())
    .addColumn("inputs", "text", (column) => column.notNull())
    .addColumn("stateDigests", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("recordingChunksKey", ["sessionId", "part"])
    .execute();
  await db.schema
    .createTable("recordings")
    .addColumn("sessionId", "text", (column) => column.primaryKey().notNull().references("sessions.sessionId"))
    .addColumn("content", "blob", (column) => column.notNull())
    .execute();

  await createFinalityTriggers(db);

  await db.schema
    .createTable("channelTokens")
    .addColumn("tokenHash", "text", (column) => column.primaryKey().notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("sessionId", "text", (column) => column.notNull())
    .addColumn("wallet", "text")
    .addColumn("ip", "text")
    .addColumn("expiresAtMs", "bigint", (column) => column.notNull())
    .addColumn("usedAtMs", "bigint")
    .addColumn("revokedAtMs", "bigint")
    .execute();
  await db.schema.createIndex("channelTokensOfSession").on("channelTokens").columns(["sessionId", "kind"]).execute();
  await db.schema.createIndex("channelTokensByExpiry").on("channelTokens").column("expiresAtMs").execute();
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
  await rejectChanges(db, {
    name: "verifications_are_final",
    table: "sessions",
    verb: "update",
    columns: ["verification"],
    when: sql<boolean>`old.verification <> 'pending'`,
    message: "the verification of a session is final",
  });
  await rejectChanges(db, {
    name: "recordings_are_final",
    table: "recordings",
    verb: "update",
    message: "the recording of an ended session is final",
  });
}
