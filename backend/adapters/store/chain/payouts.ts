/** The payouts that were requested from this service. */
import { type Kysely, sql } from "kysely";
import type { PayoutChange, PayoutRow, PayoutStatus, PayoutStore } from "../../../ports/store/chain.ts";
import { IS_FIRST_OPEN_PAYOUT, IS_NOT_SETTLED, IS_OPEN_PAYOUT } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { defineInsert } from "../insert.ts";
import { packUint, unpackUint } from "../numbers.ts";
import { toFirst } from "../queries.ts";
import type { PayoutTable, Schema } from "../schema.ts";
import { defineStatement } from "../statement.ts";
import { defineUpdate } from "../update.ts";

const toRow = (row: PayoutTable): PayoutRow => ({
  ...row,
  score: unpackUint(row.score),
  amount: unpackUint(row.amount),
  remaining: unpackUint(row.remaining),
});

type OfWallet = Pick<PayoutRow, "wallet">;

const selectOpen = defineStatement<OfWallet, PayoutTable>((db, { wallet }) =>
  db.selectFrom("payouts").selectAll().where("wallet", "=", wallet).where(IS_OPEN_PAYOUT).orderBy("createdAtMs"),
);

const selectUnsettled = defineStatement<OfWallet, PayoutTable>((db, { wallet }) =>
  db.selectFrom("payouts").selectAll().where("wallet", "=", wallet).where(IS_NOT_SETTLED).orderBy("createdAtMs"),
);

const selectById = defineStatement<Pick<PayoutRow, "payoutId">, PayoutTable>((db, { payoutId }) =>
  db.selectFrom("payouts").selectAll().where("payoutId", "=", payoutId),
);

const insertPayouts = defineInsert("payouts", (conflict) =>
  conflict.column("wallet").where(IS_FIRST_OPEN_PAYOUT).doNothing(),
);

const findOpen = async (db: Kysely<Schema>, wallet: PayoutRow["wallet"]): Promise<PayoutRow | null> =>
  toFirst((await selectOpen(db, { wallet })).rows, toRow);

/** The order in which a payout moves; only a reorganization moves it back. */
const RANKS: { readonly [Status in PayoutStatus]: number } = { pending: 0, sent: 1, included: 2, failed: 2 };

const toColumns = ({ score, amount, remaining, ...change }: PayoutChange) => ({
  ...change,
  ...(score !== undefined && { score: packUint(score) }),
  ...(amount !== undefined && { amount: packUint(amount) }),
  ...(remaining !== undefined && { remaining: packUint(remaining) }),
});

/** Changes the payout if it still has the status `from` and is not settled. */
const updatePayout = defineUpdate<"payouts", { readonly id: string; readonly from: PayoutStatus }>(
  "payouts",
  (update, { id, from }) => update.where("payoutId", "=", id).where("status", "=", from).where(IS_NOT_SETTLED),
);

/**
 * A payout differs from its transaction if the hash or status differs, or only the transaction is settled. A sent
 * payout stays `sent` while its transaction is queued again with another nonce.
 */
const selectUnsynced = defineStatement<object, PayoutTable>((db) =>
  db
    .selectFrom("payouts")
    .leftJoin("transactions", "transactions.id", "payouts.transactionId")
    .selectAll("payouts")
    .where(sql<boolean>`payouts.settled_at_ms is null`)
    .where(
      sql<boolean>`(transactions.id is null or transactions.settled_at_ms is not null
        or transactions.tx_hash is distinct from payouts.tx_hash or (transactions.status <> payouts.status
        and not (transactions.status = 'queued' and payouts.status in ('pending', 'sent'))))`,
    )
    .orderBy("payouts.createdAtMs")
    .orderBy("payouts.payoutId"),
);

export function createPayoutStore({ readOne, write }: Connection): PayoutStore {
  return {
    open: (row) =>
      write(async (db) => {
        if (RANKS[row.status] === RANKS.included)
          throw new Error(`payouts.open: a new payout must be open, got status ${row.status}`);
        const open = await findOpen(db, row.wallet);
        if (open !== null) return open;
        const { score, amount, remaining } = row;
        const packed = { score: packUint(score), amount: packUint(amount), remaining: packUint(remaining) };
        await insertPayouts(db, [{ ...row, ...packed }]);
        return (await findOpen(db, row.wallet))!;
      }),

    find: (payoutId) => readOne(async (db) => toFirst((await selectById(db, { payoutId })).rows, toRow)),

    advance: (payoutId, from, change) => {
      if (change.status !== undefined && change.status !== from && RANKS[change.status] <= RANKS[from])
        throw new Error(`payouts.advance: a payout cannot go from ${from} to ${change.status}; use reopen`);
      return write(async (db) => (await updatePayout(db, { id: payoutId, from }, toColumns(change))) === 1n);
    },

    failUnsent: (payoutId, atMs) =>
      write(async (db) => {
        const ofPayout = db.selectFrom("transactions").where("kind", "=", "payout").where("key", "=", payoutId);
        if ((await ofPayout.select("id").executeTakeFirst()) !== undefined) return false;
        await updatePayout(db, { id: payoutId, from: "pending" }, { status: "failed", settledAtMs: atMs });
        return true;
      }),

    reopen: (payoutId, from, atMs) =>
      write(async (db) => {
        const change = { status: "sent", reopenedAtMs: atMs } as const;
        return (await updatePayout(db, { id: payoutId, from }, change)) === 1n;
      }),

    listOpen: () =>
      readOne(async (db) => {
        const query = db.selectFrom("payouts").selectAll().where(IS_OPEN_PAYOUT).orderBy("createdAtMs");
        return (await query.orderBy("payoutId").execute()).map(toRow);
      }),

    summarizeOpen: () =>
      readOne((db) =>
        db
          .selectFrom("payouts")
          .select((eb) => [eb.fn.countAll<number>().as("count"), eb.fn.min("createdAtMs").as("oldestAtMs")])
          .where(IS_OPEN_PAYOUT)
          .executeTakeFirstOrThrow(),
      ),

    listUnsynced: () => readOne(async (db) => (await selectUnsynced(db, {})).rows.map(toRow)),

    listUnsettled: (wallet) => readOne(async (db) => (await selectUnsettled(db, { wallet })).rows.map(toRow)),

    findOpen: (wallet) => readOne((db) => findOpen(db, wallet)),
  };
}
