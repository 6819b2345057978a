/** One session as the services see it: its own row and what the chain says about it. */
import { type SelectQueryBuilder, sql } from "kysely";
import type { Hex, SessionRow } from "../../ports.ts";
import { IS_SNAPSHOT } from "./conditions.ts";
import type { Db } from "./connection.ts";
import { unpackOrNull } from "./numbers.ts";
import type { Schema, SessionTable } from "./schema.ts";

type StoredSession = SessionTable & { snapshotTxHash: Hex | null; snapshotBlock: number | null };

const snapshotOfSession = (db: Db) =>
  db
    .selectFrom("chainEvents")
    .where(IS_SNAPSHOT)
    .whereRef("chainEvents.gameSessionHash", "=", "sessions.gameSessionHash" as never)
    // The contract consumes a hash once for each wallet: another wallet's event is not this session's.
    .whereRef("chainEvents.wallet", "=", "sessions.wallet" as never);

/**
 * Sessions with their snapshot, read from the events each time: an event that a reorganization takes away takes the
 * snapshot with it, and nothing has to be put right.
 */
export const selectSessions = (db: Db): SelectQueryBuilder<Schema, "sessions", StoredSession> =>
  db
    .selectFrom("sessions")
    .selectAll("sessions")
    .select([
      snapshotOfSession(db).select("chainEvents.txHash").as("snapshotTxHash"),
      snapshotOfSession(db).select("chainEvents.block").as("snapshotBlock"),
    ]);

/** True for a session whose snapshot is on chain. */
export const isOnChain = (db: Db) => sql<boolean>`exists ${snapshotOfSession(db).select(sql.lit(1).as("one"))}`;

export const toSessionRow = (row: StoredSession): SessionRow => ({ ...row, sequence: unpackOrNull(row.sequence) });
