/** Which process runs an open session. */
import type { SessionRow, SessionStore } from "../../../ports/store/sessions.ts";
import { IS_OPEN } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { isPostgres } from "../migrations/triggers.ts";
import { isAbandoned } from "../nodes/nodes.ts";
import type { Db } from "../schema.ts";
import { isOwnedBy, selectSessions, toSessionRow } from "./rows.ts";

type SessionOwnership = Pick<SessionStore, "claimOpen" | "claimAbandoned" | "releaseOpen">;

/**
 * Each node gets others, since none waits for rows that another one is claiming. SQLite has one writer. What is abandoned
 * stays so until it is claimed: a lease that has run out is never renewed.
 */
async function claimAbandoned(db: Db, limit: number, owner: string | null): Promise<readonly SessionRow[]> {
  const free = db
    .selectFrom("sessions")
    .select("sessionId")
    .where(IS_OPEN)
    .where(isAbandoned(db))
    .orderBy("sessionId")
    .limit(limit);
  const ids = (await (isPostgres(db) ? free.forUpdate().skipLocked() : free).execute()).map((row) => row.sessionId);
  if (ids.length === 0) return [];
  await db.updateTable("sessions").set({ owner }).where("sessionId", "in", ids).execute();
  const rows = await selectSessions(db).where("sessionId", "in", ids).orderBy("sessionId").execute();
  return rows.map(toSessionRow);
}

/** `getOwner`: the lease that this process holds when a method is called, null if it holds none. */
export const createSessionOwnership = (
  { write, writeAside }: Connection,
  getOwner: () => string | null,
): SessionOwnership => ({
  claimOpen: () => {
    const owner = getOwner();
    return write(async (db) => {
      await db.updateTable("sessions").set({ owner }).where(IS_OPEN).execute();
    });
  },

  // Players wait for this, and behind the node's other writes it would take seconds on a busy machine.
  claimAbandoned: (limit) => {
    const owner = getOwner();
    return writeAside((db) => claimAbandoned(db, limit, owner));
  },

  releaseOpen: () => {
    const owner = getOwner();
    return write(async (db) => {
      await db.updateTable("sessions").set({ owner: null }).where(IS_OPEN).where(isOwnedBy(owner)).execute();
    });
  },
});
