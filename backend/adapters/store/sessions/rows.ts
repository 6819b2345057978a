/** One session as the services see it: its row, and its snapshot on chain. */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Hex } from "viem";
import type { SessionRow } from "../../../ports/store/sessions.ts";
import { IS_SNAPSHOT } from "../conditions.ts";
import { unpackOrNull } from "../numbers.ts";
import type { Db, Schema, SessionTable } from "../schema.ts";

export type StoredSession = SessionTable & { snapshotTxHash: Hex | null; snapshotBlock: number | null };

const selectSnapshot = (db: Kysely<Schema>) =>
  db
    .selectFrom("chainEvents")
    .where(IS_SNAPSHOT)
    .whereRef("chainEvents.gameSessionHash", "=", "sessions.gameSessionHash" as never)
    // The contract consumes a hash once per wallet: another wallet's event does not belong to this session.
    .whereRef("chainEvents.wallet", "=", "sessions.wallet" as never);

/**
 * Sessions with their snapshot, read from the events each time: if a reorganization removes an event, the snapshot is
 * gone without a further update.
 */
export const selectSessions = (db: Kysely<Schema>): SelectQueryBuilder<Schema, "sessions", StoredSession> =>
  db
    .selectFrom("sessions")
    .selectAll("sessions")
    .select([
      selectSnapshot(db).select("chainEvents.txHash").as("snapshotTxHash"),
      selectSnapshot(db).select("chainEvents.block").as("snapshotBlock"),
    ]);

export const isOnChain = (db: Db) => sql<boolean>`exists ${selectSnapshot(db).select(sql.lit(1).as("one"))}`;

export const toSessionRow = ({ isOnChain: _, ...row }: StoredSession): SessionRow => ({
  ...row,
  sequence: unpackOrNull(row.sequence),
});

/** True for the sessions of the lease's holder; true for all if no lease is held. */
// safeguard: write-own-sessions-only
export const isOwnedBy = (owner: string | null): RawBuilder<boolean> =>
  owner === null ? sql<boolean>`true` : sql<boolean>`owner = ${owner}`;
