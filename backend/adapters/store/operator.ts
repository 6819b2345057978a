/** What an operator does by hand: the audit, scores withheld, and orders to the server that runs a session. */
import type { OperatorStore } from "../../ports.ts";
import { writeAudit } from "./audit.ts";
import { IS_OPEN, IS_OPEN_ORDER } from "./conditions.ts";
import type { Connection } from "./connection.ts";
import { makeModeration } from "./moderation.ts";
import { selectSessions } from "./session-rows.ts";
import { uncountSession } from "./standings-count.ts";

export function makeOperatorStore(connection: Connection): OperatorStore {
  const { read, write } = connection;
  return {
    ...makeModeration(connection),

    listAudit: ({ subject, limit }) =>
      read(async (db) => {
        const all = db.selectFrom("audit").selectAll().orderBy("auditId", "desc").limit(limit);
        return await (subject === null ? all : all.where("subject", "=", subject)).execute();
      }),

    note: (row) =>
      write(async (db) => {
        await db.insertInto("audit").values(row).execute();
      }),

    withhold: (sessionId, reason, stamp) =>
      write(async (db) => {
        const row = await selectSessions(db).where("sessionId", "=", sessionId).executeTakeFirst();
        if (row === undefined) return "unknown";
        if (row.source !== "agent_api") return "practice";
        if (row.phase !== "ended") return "not_ended";
        if (row.snapshotTxHash !== null) return "on_chain";
        if (row.verification === "withheld") return "unchanged";
        await db
          .updateTable("sessions")
          .set({ verification: "withheld" })
          .where("sessionId", "=", sessionId)
          .executeTakeFirstOrThrow();
        const { verification, score, preparedAtMs } = row;
        if (verification === "verified") await uncountSession(db, sessionId);
        await writeAudit(db, stamp, {
          action: "sessions.withhold",
          subject: sessionId,
          before: { verification, score, preparedAtMs },
          after: { verification: "withheld", score, reason },
        });
        return "withheld";
      }),

    orderEnd: (sessionId, reason, stamp) =>
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

    openOrders: () =>
      read((db) =>
        db
          .selectFrom("orders")
          .selectAll()
          .where(IS_OPEN_ORDER)
          .orderBy("requestedAtMs")
          .orderBy("sessionId")
          .execute(),
      ),

    completeOrder: (sessionId, atMs) =>
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
