/** Responses stored under `Idempotency-Key`, per caller and route. */
import { type RawBuilder, sql } from "kysely";
import type { IdempotencyRow, IdempotencyStore } from "../../ports/store/idempotency.ts";
import type { Connection } from "./connection.ts";
import { defineRemoval } from "./expired-rows.ts";

const RESPONSE_RETENTION_MS = 24 * 3600 * 1000;
/** A claim without a response for this long belongs to a process that has ended: no handler takes this long. */
const ABANDONED_CLAIM_TTL_MS = 60 * 1000;

const removeOld = defineRemoval("idempotencyKeys");

type Claim = Pick<IdempotencyRow, "caller" | "route" | "key">;

const isClaim = ({ caller, route, key }: Claim): RawBuilder<boolean> =>
  sql<boolean>`caller = ${caller} and route = ${route} and "key" = ${key}`;

/** The claim of this call, still without a response. */
const isOpen = (claim: Claim & Pick<IdempotencyRow, "createdAtMs">): RawBuilder<boolean> =>
  sql<boolean>`${isClaim(claim)} and created_at_ms = ${claim.createdAtMs} and status is null`;

export function createIdempotencyStore({ write }: Connection): IdempotencyStore {
  return {
    claim: (row) =>
      write(async (db) => {
        const oldMs = row.createdAtMs - RESPONSE_RETENTION_MS;
        const abandonedMs = row.createdAtMs - ABANDONED_CLAIM_TTL_MS;
        await removeOld(db, { beforeMs: oldMs });
        const isOver = sql<boolean>`(created_at_ms <= ${oldMs} or (status is null and created_at_ms <= ${abandonedMs}))`;
        await db.deleteFrom("idempotencyKeys").where(isClaim(row)).where(isOver).execute();
        const inserted = await db
          .insertInto("idempotencyKeys")
          .values(row)
          .onConflict((conflict) => conflict.columns(["caller", "route", "key"]).doNothing())
          .executeTakeFirstOrThrow();
        if (inserted.numInsertedOrUpdatedRows === 1n) return null;
        return await db.selectFrom("idempotencyKeys").selectAll().where(isClaim(row)).executeTakeFirstOrThrow();
      }),

    complete: ({ status, body, ...claim }) =>
      write(async (db) => {
        await db.updateTable("idempotencyKeys").set({ status, body }).where(isOpen(claim)).execute();
      }),

    release: (claim) =>
      write(async (db) => {
        await db.deleteFrom("idempotencyKeys").where(isOpen(claim)).execute();
      }),
  };
}
