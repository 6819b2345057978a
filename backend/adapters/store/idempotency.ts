/** Responses stored under `Idempotency-Key`, per caller and route. */
import type { IdempotencyStore } from "../../ports/store/idempotency.ts";
import type { Connection } from "./connection.ts";
import { defineRemoval } from "./expired-rows.ts";

const RESPONSE_RETENTION_MS = 24 * 3600 * 1000;
/** A claim without a response for this long belongs to a process that has ended: no handler runs this long. */
const ABANDONED_CLAIM_TTL_MS = 60 * 1000;

const removeOld = defineRemoval("idempotencyKeys");

export function createIdempotencyStore({ write }: Connection): IdempotencyStore {
  return {
    claim: (row) =>
      write(async (db) => {
        const oldMs = row.createdAtMs - RESPONSE_RETENTION_MS;
        const abandonedMs = row.createdAtMs - ABANDONED_CLAIM_TTL_MS;
        await removeOld(db, { beforeMs: oldMs });
        await db
          .deleteFrom("idempotencyKeys")
          .where("caller", "=", row.caller)
          .where("route", "=", row.route)
          .where("key", "=", row.key)
          .where((eb) =>
            eb.or([
              eb("createdAtMs", "<=", oldMs),
              eb.and([eb("status", "is", null), eb("createdAtMs", "<=", abandonedMs)]),
            ]),
          )
          .execute();
        const inserted = await db
          .insertInto("idempotencyKeys")
          .values(row)
          .onConflict((conflict) => conflict.columns(["caller", "route", "key"]).doNothing())
          .executeTakeFirstOrThrow();
        if (inserted.numInsertedOrUpdatedRows === 1n) return null;
        return await db
          .selectFrom("idempotencyKeys")
          .selectAll()
          .where("caller", "=", row.caller)
          .where("route", "=", row.route)
          .where("key", "=", row.key)
          .executeTakeFirstOrThrow();
      }),

    complete: ({ caller, route, key, createdAtMs, status, body }) =>
      write(async (db) => {
        await db
          .updateTable("idempotencyKeys")
          .set({ status, body })
          .where("caller", "=", caller)
          .where("route", "=", route)
          .where("key", "=", key)
          .where("createdAtMs", "=", createdAtMs)
          .where("status", "is", null)
          .execute();
      }),

    release: ({ caller, route, key, createdAtMs }) =>
      write(async (db) => {
        await db
          .deleteFrom("idempotencyKeys")
          .where("caller", "=", caller)
          .where("route", "=", route)
          .where("key", "=", key)
          .where("createdAtMs", "=", createdAtMs)
          .where("status", "is", null)
          .execute();
      }),
  };
}
