/** Telemetry and newsletter subscribers. */
import type { NewsletterStore, TelemetryStore } from "../../../ports/store/stats.ts";
import { splitIntoBatches } from "../batches.ts";
import type { Connection } from "../connection.ts";

export function createTelemetryStore({ read, write }: Connection): TelemetryStore {
  return {
    add: (rows) =>
      write(async (db) => {
        for (const batch of splitIntoBatches(rows)) {
          await db
            .insertInto("telemetryEvents")
            .values([...batch])
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

export function createNewsletterStore({ read, write }: Connection): NewsletterStore {
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
