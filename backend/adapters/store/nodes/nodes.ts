/** The backends that work on this database, with leases by the database's own clock. */
import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { DAY_MS } from "../../../domain/time.ts";
import type { NodeStore } from "../../../ports/store/nodes.ts";
import type { Connection } from "../connection.ts";
import { isPostgres } from "../migrations/triggers.ts";
import type { Db } from "../schema.ts";

/** How long the row of a node that has died is kept, for people who look at it. */
const EXPIRED_KEPT_MS = DAY_MS;

/** The database's clock while the statement runs, in milliseconds since 1970. */
const readDatabaseClock = (db: QueryExecutorProvider): RawBuilder<number> =>
  isPostgres(db)
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

const isLeaseValid = (db: QueryExecutorProvider): RawBuilder<boolean> =>
  sql<boolean>`lease_until_ms > ${readDatabaseClock(db)}`;

/** Extends the lease of a node while it has not run out; false where it has. */
async function renewNode(db: Db, nodeId: string, leaseMs: number): Promise<boolean> {
  const result = await db
    .updateTable("nodes")
    .set({ leaseUntilMs: sql<number>`${readDatabaseClock(db)} + ${leaseMs}` })
    .where("nodeId", "=", nodeId)
    .where(isLeaseValid(db))
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

export function createNodeStore({ read, write, writeBehind }: Connection): NodeStore {
  return {
    register: ({ nodeId, url, isExclusive }, leaseMs) =>
      write(async (db) => {
        const now = readDatabaseClock(db);
        const others = db.selectFrom("nodes").selectAll().where(isLeaseValid(db)).orderBy("startedAtMs");
        // Under `serializable` two nodes that register at once do not both miss each other.
        const other = await (isExclusive ? others : others.where("isExclusive", "=", 1)).executeTakeFirst();
        if (other !== undefined) return { registered: false, other };
        await db.deleteFrom("nodes").where(sql<boolean>`lease_until_ms < ${now} - ${EXPIRED_KEPT_MS}`).execute();
        const leaseUntilMs = sql<number>`${now} + ${leaseMs}`;
        await db
          .insertInto("nodes")
          .values({ nodeId, url, leaseUntilMs, startedAtMs: now, isExclusive: isExclusive ? 1 : 0 })
          .execute();
        return { registered: true };
      }),

    // A renewal that is lost with the power loses a few seconds of the lease.
    renew: (nodeId, leaseMs) => writeBehind((db) => renewNode(db, nodeId, leaseMs)),

    release: (nodeId) =>
      write(async (db) => {
        await db.deleteFrom("nodes").where("nodeId", "=", nodeId).execute();
      }),

    listLive: () =>
      read((db) => db.selectFrom("nodes").selectAll().where(isLeaseValid(db)).orderBy("startedAtMs").execute()),

    listExpired: () =>
      read((db) =>
        db
          .selectFrom("nodes")
          .selectAll()
          .where(sql<boolean>`not ${isLeaseValid(db)}`)
          .orderBy("startedAtMs")
          .execute(),
      ),
  };
}
