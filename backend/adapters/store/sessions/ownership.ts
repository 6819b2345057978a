/** Which process runs an open session. */
import type { Kysely } from "kysely";
import type { SessionRow, SessionStore } from "../../../ports/store/sessions.ts";
import { IS_OPEN } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { isPostgres } from "../migrations/triggers.ts";
import { isAbandoned } from "../nodes/nodes.ts";
import type { Db, Schema } from "../schema.ts";
import type { BuildStatement } from "../statement.ts";
import { isOwnedBy, selectSessions, toSessionRow } from "./rows.ts";

type SessionOwnership = Pick<SessionStore, "claimOpen" | "claimAbandoned" | "releaseOpen">;

const selectAbandoned = (db: Kysely<Schema>) =>
  db.selectFrom("sessions").select("sessionId").where(IS_OPEN).where(isAbandoned(db));

/** Runs four times a second on every node. */
const findAbandoned: BuildStatement<object, { readonly sessionId: string }> = (db) => selectAbandoned(db).limit(1);

/**
 * Each node gets different sessions, since none waits for rows that another one is claiming. SQLite has one writer.
 * Abandoned sessions stay so until claimed: an expired lease is never renewed.
 */
async function claimAbandoned(db: Db, limit: number, owner: string | null): Promise<readonly SessionRow[]> {
  const free = selectAbandoned(db).orderBy("sessionId").limit(limit);
  const ids = (await (isPostgres(db) ? free.forUpdate().skipLocked() : free).execute()).map((row) => row.sessionId);
  if (ids.length === 0) return [];
  await db.updateTable("sessions").set({ owner }).where("sessionId", "in", ids).execute();
  const rows = await selectSessions(db).where("sessionId", "in", ids).orderBy("sessionId").execute();
  return rows.map(toSessionRow);
}

/** `getOwner`: the lease that this process holds when a method is called; null if it holds none. */
export const createSessionOwnership = (
  { write, writeAside, readRows, compile }: Connection,
  getOwner: () => string | null,
  find = compile(findAbandoned),
): SessionOwnership => ({
  claimOpen: () => {
    const owner = getOwner();
    return write(async (db) => {
      await db.updateTable("sessions").set({ owner }).where(IS_OPEN).execute();
    });
  },

  // Players wait for this; behind the node's other writes it would take seconds on a busy machine.
  claimAbandoned: async (limit) => {
    if ((await readRows(find({}))).length === 0) return [];
    const owner = getOwner();
    return await writeAside((db) => claimAbandoned(db, limit, owner));
  },

  releaseOpen: () => {
    const owner = getOwner();
    return write(async (db) => {
      await db.updateTable("sessions").set({ owner: null }).where(IS_OPEN).where(isOwnedBy(owner)).execute();
    });
  },
});
