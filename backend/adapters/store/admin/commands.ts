/** Admin commands: the audit log, withheld scores, and requests to the server that runs a session. */

import type { OperatorStore } from "../../../ports/store/admin.ts";
import type { SessionRow } from "../../../ports/store/sessions.ts";
import { IS_OPEN, IS_OPEN_COMMAND } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { publish } from "../facts.ts";
import type { Db } from "../schema.ts";
import { selectSessions } from "../sessions/rows.ts";
import { removeSession } from "../stats/standings-count.ts";
import { writeAudit } from "./audit.ts";
import { createModeration } from "./moderation.ts";
import { createOverviews } from "./overviews.ts";
import { createTransactionOrders } from "./transaction-orders.ts";

/** Why the operator cannot take a session's score back; null if that is possible. */
function findScoreObstacle(
  row: Pick<SessionRow, "source" | "phase" | "snapshotTxHash"> | undefined,
): "unknown" | "practice" | "not_ended" | "on_chain" | null {
  if (row === undefined) return "unknown";
  if (row.source !== "agent_api") return "practice";
  if (row.phase !== "ended") return "not_ended";
  return row.snapshotTxHash === null ? null : "on_chain";
}

async function withholdScore(
  db: Db,
  ...[sessionId, reason, stamp]: Parameters<OperatorStore["withholdScore"]>
): ReturnType<OperatorStore["withholdScore"]> {
  const row = await selectSessions(db).where("sessionId", "=", sessionId).executeTakeFirst();
  const obstacle = findScoreObstacle(row);
  if (row === undefined || obstacle !== null) return obstacle ?? "unknown";
  if (row.verification === "withheld") return "unchanged";
  await db
    .updateTable("sessions")
    .set({ verification: "withheld" })
    .where("sessionId", "=", sessionId)
    .executeTakeFirstOrThrow();
  const { verification, score, preparedAtMs } = row;
  if (verification === "verified") {
    publish(db, "runs");
    await removeSession(db, sessionId);
  }
  await writeAudit(db, stamp, {
    action: "sessions.withhold",
    subject: sessionId,
    before: { verification, score, preparedAtMs },
    after: { verification: "withheld", score, reason },
  });
  return "withheld";
}

async function forfeitScore(
  db: Db,
  ...[sessionId, reason, stamp]: Parameters<OperatorStore["forfeitScore"]>
): ReturnType<OperatorStore["forfeitScore"]> {
  const row = await selectSessions(db).where("sessionId", "=", sessionId).executeTakeFirst();
  const obstacle = findScoreObstacle(row);
  if (row === undefined || obstacle !== null) return obstacle ?? "unknown";
  if (row.forfeitedAtMs !== null) return "unchanged";
  await db
    .updateTable("sessions")
    .set({ forfeitedAtMs: stamp.atMs })
    .where("sessionId", "=", sessionId)
    .executeTakeFirstOrThrow();
  const { score, preparedAtMs } = row;
  await writeAudit(db, stamp, {
    action: "sessions.forfeit",
    subject: sessionId,
    before: { score, preparedAtMs, forfeitedAtMs: null },
    after: { score, forfeitedAtMs: stamp.atMs, reason },
  });
  return "forfeited";
}

export function createOperatorStore(connection: Connection): OperatorStore {
  const { read, write, writeApart } = connection;
  return {
    ...createModeration(connection),
    ...createTransactionOrders(connection),
    ...createOverviews(connection),

    listAudit: ({ subject, action, limit }) =>
      read(async (db) => {
        let query = db.selectFrom("audit").selectAll().orderBy("auditId", "desc").limit(limit);
        if (subject !== null) query = query.where("subject", "=", subject);
        if (action !== undefined) query = query.where("action", "=", action);
        return await query.execute();
      }),

    addAuditRow: (row) =>
      write(async (db) => {
        await db.insertInto("audit").values(row).execute();
      }),

    withholdScore: (...request) => writeApart((db) => withholdScore(db, ...request)),

    forfeitScore: (...request) => write((db) => forfeitScore(db, ...request)),

    requestSessionEnd: (sessionId, reason, stamp) =>
      write(async (db) => {
        const open = db.selectFrom("sessions").select("phase").where("sessionId", "=", sessionId).where(IS_OPEN);
        const session = await open.executeTakeFirst();
        if (session === undefined) return false;
        await db
          .insertInto("orders")
          .values({ sessionId, who: stamp.who, requestedAtMs: stamp.atMs, doneAtMs: null })
          .onConflict((conflict) => conflict.column("sessionId").doUpdateSet({ doneAtMs: null }))
          .execute();
        await writeAudit(db, stamp, {
          action: "sessions.end",
          subject: sessionId,
          before: { phase: session.phase },
          after: { ordered: "end", reason },
        });
        return true;
      }),

    listOpenCommands: () =>
      read((db) =>
        db
          .selectFrom("orders")
          .selectAll()
          .where(IS_OPEN_COMMAND)
          .orderBy("requestedAtMs")
          .orderBy("sessionId")
          .execute(),
      ),

    completeCommand: (sessionId, atMs) =>
      write(async (db) => {
        await db
          .updateTable("orders")
          .set({ doneAtMs: atMs })
          .where("sessionId", "=", sessionId)
          .where("doneAtMs", "is", null)
          .execute();
      }),
  };
}
