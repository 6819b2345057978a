/** Lists for the operator's console only, newest first. They use the tables' own order, so nothing is sorted. */
import { sql } from "kysely";
import type { OperatorStore } from "../../../ports/store/admin.ts";
import { toTransactionRow } from "../chain/transactions.ts";
import type { Connection } from "../connection.ts";
import { selectSessions, toSessionRow } from "../sessions/rows.ts";

/** The number of latest sessions among which withheld scores are searched. */
const SESSIONS_SEARCHED = 5000;
const NEWEST_FIRST = sql`rowid desc`;

export function createOverviews({
  read,
}: Connection): Pick<OperatorStore, "listSignings" | "listTransactions" | "listWithheld"> {
  return {
    listSignings: (limit) =>
      read((db) => db.selectFrom("signings").selectAll().orderBy(NEWEST_FIRST).limit(limit).execute()),

    listTransactions: (limit) =>
      read(async (db) => {
        const rows = await db.selectFrom("transactions").selectAll().orderBy(NEWEST_FIRST).limit(limit).execute();
        return rows.map(toTransactionRow);
      }),

    listWithheld: (limit) =>
      read(async (db) => {
        const recent = db.selectFrom("sessions").select("sessionId").orderBy(NEWEST_FIRST).limit(SESSIONS_SEARCHED);
        const rows = await selectSessions(db)
          .where("sessionId", "in", recent)
          .where("verification", "=", "withheld")
          .orderBy("startedAtMs", "desc")
          .limit(limit)
          .execute();
        return rows.map(toSessionRow);
      }),
  };
}
