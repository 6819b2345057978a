/** The backends that work on this database, with leases by the database's own clock. */
import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { DAY_MS } from "../../../../domain/time.ts";
import type { NodeRegistration, NodeRow, NodeStore } from "../../../ports/store/nodes.ts";
import type { Connection } from "../connection.ts";
import { isPostgres } from "../migrations/triggers.ts";
import type { Db } from "../schema.ts";
import { defineStatement } from "../statement.ts";

/** How long the row of a dead node is kept, for people who read the table. */
const EXPIRED_KEPT_MS = DAY_MS;

/** The database's clock while the statement runs, in milliseconds since 1970. */
const readDatabaseClock = (db: QueryExecutorProvider): RawBuilder<number> =>
  isPostgres(db)
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

const isLeaseValid = (db: QueryExecutorProvider): RawBuilder<boolean> =>
  sql<boolean>`lease_until_ms > ${readDatabaseClock(db)}`;

/** No other node runs its sessions. An exclusive node keeps its sessions until another node has registered. */
const isUndisputed = (db: QueryExecutorProvider): RawBuilder<boolean> =>
  sql<boolean>`(${isLeaseValid(db)} or is_exclusive = 1)`;

/** True for a session that no node runs: it was handed over, or its node's lease has expired. */
export const isAbandoned = (db: QueryExecutorProvider): RawBuilder<boolean> =>
  sql<boolean>`(owner is null or not exists (
    select 1 from nodes where nodes.node_id = sessions.owner and ${isUndisputed(db)}))`;

/** Runs in every writing transaction. */
const selectValidNode = defineStatement<Pick<NodeRow, "nodeId">, Pick<NodeRow, "nodeId">>((db, { nodeId }) =>
  db.selectFrom("nodes").select("nodeId").where("nodeId", "=", nodeId).where(isUndisputed(db)),
);

/** Whether a node may write. */
export async function isNodeValid(db: Db, nodeId: string): Promise<boolean> {
  return (await selectValidNode(db, { nodeId })).rows.length > 0;
}

/** Extends the lease of a node that may still write; false for every other one. */
export async function renewNode(db: Db, nodeId: string, leaseMs: number): Promise<boolean> {
  const result = await db
    .updateTable("nodes")
    .set({ leaseUntilMs: sql<number>`${readDatabaseClock(db)} + ${leaseMs}` })
    .where("nodeId", "=", nodeId)
    .where(isUndisputed(db))
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Creates the table if it is missing: before the migrations, since a node registers before it migrates. */
export async function createNodeTable(db: Pick<Db, "schema">): Promise<void> {
  await db.schema
    .createTable("nodes")
    .ifNotExists()
    .addColumn("nodeId", "text", (column) => column.primaryKey().notNull())
    .addColumn("leaseUntilMs", "bigint", (column) => column.notNull())
    .addColumn("startedAtMs", "bigint", (column) => column.notNull())
    .addColumn("url", "text")
    .addColumn("isExclusive", "integer", (column) => column.notNull())
    .execute();
}

/** Removes expired nodes: exclusive ones at once, so that they never write again. */
async function removeExpired(db: Db): Promise<void> {
  const isOld = sql<boolean>`lease_until_ms < ${readDatabaseClock(db)} - ${EXPIRED_KEPT_MS}`;
  await db
    .deleteFrom("nodes")
    .where(sql<boolean>`not ${isLeaseValid(db)} and (is_exclusive = 1 or ${isOld})`)
    .execute();
}

/** Under `serializable`, two nodes that register at the same time cannot both miss each other. */
export async function addNode(
  db: Db,
  { nodeId, url, isExclusive }: Parameters<NodeStore["register"]>[0],
  leaseMs: number,
): Promise<NodeRegistration> {
  const others = db.selectFrom("nodes").selectAll().where(isLeaseValid(db)).orderBy("startedAtMs");
  const other = await (isExclusive ? others : others.where("isExclusive", "=", 1)).executeTakeFirst();
  if (other !== undefined) return { registered: false, other };
  await removeExpired(db);
  const startedAtMs = readDatabaseClock(db);
  const leaseUntilMs = sql<number>`${startedAtMs} + ${leaseMs}`;
  await db
    .insertInto("nodes")
    .values({ nodeId, url, leaseUntilMs, startedAtMs, isExclusive: isExclusive ? 1 : 0 })
    .execute();
  return { registered: true };
}

export function createNodeStore({ read, write, writeBehind }: Connection): NodeStore {
  return {
    register: (node, leaseMs) => write((db) => addNode(db, node, leaseMs)),

    // A renewal lost in a power cut shortens the lease by a few seconds only.
    renew: (nodeId, leaseMs) => writeBehind((db) => renewNode(db, nodeId, leaseMs)),

    release: (nodeId) =>
      write(async (db) => {
        await db.deleteFrom("nodes").where("nodeId", "=", nodeId).execute();
      }),

    listLive: () =>
      read((db) => db.selectFrom("nodes").selectAll().where(isLeaseValid(db)).orderBy("startedAtMs").execute()),
  };
}
