/** Telemetry and the newsletter: rows that are written and exported. */
import type { NewsletterStore, TelemetryStore } from "../../ports.ts";
import type { Connection } from "./connection.ts";

/** Rows a statement, far below SQLite's limit of 32,766 parameters. */
const BATCH = 500;

export function makeTelemetryStore({ read, write }: Connection): TelemetryStore {
  return {
    add: (rows) =>
      write(async (db) => {
        for (let start = 0; start < rows.length; start += BATCH) {
          await db
            .insertInto("telemetryEvents")
            .values(rows.slice(start, start + BATCH))
            .onConflict((conflict) => conflict.column("eventId").doNothing())
            .execute();
        }
      }),

    list: ({ afterEventId, limit }) =>
      read((db) =>
        db
          .selectFrom("telemetryEvents")
          .selectAll()
          .where("eventId", ">", afterEventId ?? "")
          .orderBy("eventId")
          .limit(limit)
          .execute(),
      ),
  };
}

export function makeNewsletterStore({ read, write }: Connection): NewsletterStore {
  return {
    add: (row) =>
      write(async (db) => {
        await db
          .insertInto("subscribers")
          .values(row)
          .onConflict((conflict) => conflict.column("email").doNothing())
          .execute();
      }),

    list: ({ afterEmail, limit }) =>
      read((db) =>
        db
          .selectFrom("subscribers")
          .selectAll()
          .where("email", ">", afterEmail ?? "")
          .orderBy("email")
          .limit(limit)
          .execute(),
      ),
  };
}
