/** The ledger of payouts that this service was asked to send. */
import type { PayoutRow, PayoutStore } from "../../ports.ts";
import { IS_OPEN_PAYOUT } from "./conditions.ts";
import type { Connection, Db } from "./connection.ts";
import { packUint, unpackUint } from "./numbers.ts";
import type { PayoutTable } from "./schema.ts";

const toRow = (row: PayoutTable): PayoutRow => ({
  ...row,
  score: unpackUint(row.score),
  amount: unpackUint(row.amount),
});

const findOpen = async (db: Db, wallet: PayoutRow["wallet"]): Promise<PayoutRow | null> => {
  const row = await db
    .selectFrom("payouts")
    .selectAll()
    .where("wallet", "=", wallet)
    .where(IS_OPEN_PAYOUT)
    .executeTakeFirst();
  return row === undefined ? null : toRow(row);
};

export function makePayoutStore({ read, write }: Connection): PayoutStore {
  return {
    open: (row) =>
      write(async (db) => {
        const inserted = await db
          .insertInto("payouts")
          .values({ ...row, score: packUint(row.score), amount: packUint(row.amount) })
          .onConflict((conflict) => conflict.column("wallet").where(IS_OPEN_PAYOUT).doNothing())
          .executeTakeFirstOrThrow();
        const payout = await findOpen(db, row.wallet);
        if (payout === null) throw new Error(`payouts.open: a new payout must be open, got status ${row.status}`);
        return { opened: inserted.numInsertedOrUpdatedRows === 1n, payout };
      }),

    find: (payoutId) =>
      read(async (db) => {
        const row = await db.selectFrom("payouts").selectAll().where("payoutId", "=", payoutId).executeTakeFirst();
        return row === undefined ? null : toRow(row);
      }),

    update: (payoutId, { score, amount, ...change }) =>
      write(async (db) => {
        const changes = {
          ...change,
          ...(score !== undefined && { score: packUint(score) }),
          ...(amount !== undefined && { amount: packUint(amount) }),
        };
        if (Object.keys(changes).length === 0) return;
        const result = await db
          .updateTable("payouts")
          .set(changes)
          .where("payoutId", "=", payoutId)
          .executeTakeFirstOrThrow();
        if (result.numUpdatedRows !== 1n) throw new Error(`payouts.update: there is no payout ${payoutId}`);
      }),

    listOpen: () =>
      read(async (db) => {
        const query = db.selectFrom("payouts").selectAll().where(IS_OPEN_PAYOUT).orderBy("createdAtMs");
        return (await query.orderBy("payoutId").execute()).map(toRow);
      }),

    findOpen: (wallet) => read((db) => findOpen(db, wallet)),
  };
}
