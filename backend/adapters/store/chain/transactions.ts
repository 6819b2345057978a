/** The operator's transactions, stored before they are sent. */
import { PayoutsFailedError } from "../../../../domain/operator-transactions.ts";
import type { TransactionChange, TransactionRow, TransactionStore } from "../../../ports/store/chain.ts";
import { completeOrder } from "../admin/transaction-orders.ts";
import { splitIntoBatches } from "../batches.ts";
import { IS_NOT_SETTLED, IS_WAITING } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { defineInsert } from "../insert.ts";
import { isPostgres } from "../migrations/triggers.ts";
import { packUint, unpackUint } from "../numbers.ts";
import { countRows, toFirst } from "../queries.ts";
import type { Db, TransactionTable } from "../schema.ts";
import { defineStatement } from "../statement.ts";
import { defineUpdate } from "../update.ts";
import { addRelays } from "./relays.ts";

export const toTransactionRow = (row: TransactionTable): TransactionRow => ({
  ...row,
  value: unpackUint(row.value),
  maxFeePerGas: unpackUint(row.maxFeePerGas),
  maxPriorityFeePerGas: unpackUint(row.maxPriorityFeePerGas),
});

const toStored = (row: TransactionRow): TransactionTable => ({
  ...row,
  value: packUint(row.value),
  maxFeePerGas: packUint(row.maxFeePerGas),
  maxPriorityFeePerGas: packUint(row.maxPriorityFeePerGas),
});

const toColumns = ({
  maxFeePerGas,
  maxPriorityFeePerGas,
  ...change
}: TransactionChange): Partial<TransactionTable> => ({
  ...change,
  ...(maxFeePerGas !== undefined && { maxFeePerGas: packUint(maxFeePerGas) }),
  ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas: packUint(maxPriorityFeePerGas) }),
});

const updateOne = defineUpdate<"transactions", { readonly of: string }>("transactions", (update, { of }) =>
  update.where("id", "=", of),
);

/** The bytes include the nonce, and the operator's signature. */
const updateSigned = defineUpdate<"transactions", Pick<TransactionRow, "id" | "raw">>("transactions", (update, row) =>
  update.where("id", "=", row.id).where("raw", "=", row.raw),
);

/** Returns how many rows were changed. */
async function updateBatch(db: Db, ids: readonly string[], columns: Partial<TransactionTable>): Promise<bigint> {
  if (ids.length === 1) return await updateOne(db, { of: ids[0]! }, columns);
  const update = db.updateTable("transactions").set(columns).where("id", "in", ids);
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows;
}

async function updateRows(db: Db, ids: readonly string[], change: TransactionChange): Promise<void> {
  const columns = toColumns(change);
  if (Object.keys(columns).length === 0) return;
  for (const batch of splitIntoBatches(ids))
    if ((await updateBatch(db, batch, columns)) !== BigInt(batch.length))
      throw new Error(`transactions.update: there is no transaction ${batch.join(" or ")}`);
}

/**
 * Marks those that wait for a block, except rows that another node is writing: the reconciling node writes several rows
 * in a different order.
 */
async function markSent(db: Db, ids: readonly string[], atMs: number): Promise<void> {
  for (const batch of splitIntoBatches(ids)) {
    const known = db.selectFrom("transactions").select("id").where("id", "in", batch);
    await db
      .updateTable("transactions")
      .where("id", "in", isPostgres(db) ? known.forUpdate().skipLocked() : batch)
      .where("status", "in", ["queued", "sent"])
      .set(({ fn, ref, val }) => ({
        status: "sent",
        sentAtMs: fn.coalesce(ref("sentAtMs"), val(atMs)),
        lastError: null,
      }))
      .execute();
  }
}

type OfSender = Pick<TransactionRow, "from">;

type AboveBlock = OfSender & { readonly aboveBlock: number };

/** Transactions that wait, or are in a block above a number and not settled; each part has its own index. */
const selectUnconfirmed = defineStatement<AboveBlock, TransactionTable>((db, { from, aboveBlock }) => {
  const ofSender = db.selectFrom("transactions").selectAll().where("from", "=", from);
  return ofSender.where(IS_WAITING).unionAll(ofSender.where(IS_NOT_SETTLED).where("block", ">", aboveBlock));
});

/** Two ranges of the index, so that the operator's own open transactions are not read. */
const selectOfOthers = defineStatement<OfSender, TransactionTable>((db, { from }) => {
  const unsettled = db.selectFrom("transactions").selectAll().where(IS_NOT_SETTLED);
  return unsettled.where("from", "<", from).unionAll(unsettled.where("from", ">", from));
});

const selectById = defineStatement<Pick<TransactionRow, "id">, TransactionTable>((db, { id }) =>
  db.selectFrom("transactions").selectAll().where("id", "=", id),
);

const insertTransactions = defineInsert("transactions");

interface UnsettledCounts {
  readonly waiting: number;
  readonly newestBlock: number | null;
}

/** One statement, since it runs at every poll and usually finds no transactions. */
const selectSummary = defineStatement<OfSender, UnsettledCounts>((db, { from }) => {
  const ofSender = db.selectFrom("transactions").where("from", "=", from);
  const newest = ofSender.where(IS_NOT_SETTLED).where("block", "is not", null);
  return ofSender
    .where(IS_WAITING)
    .select((eb) => eb.fn.countAll<number>().as("waiting"))
    .select(newest.select("block").orderBy("block", "desc").limit(1).as("newestBlock"));
});

/** In the same transaction as `failUnsent` reads the transactions of a payout: only one of the two happens. */
async function requireNoneFailed(db: Db, rows: readonly TransactionRow[]): Promise<void> {
  const ids = rows.flatMap(({ kind, key }) => (kind === "payout" ? [key] : []));
  if (ids.length === 0) return;
  const query = db.selectFrom("payouts").select("payoutId").where("payoutId", "in", ids);
  const failed = await query.where("status", "=", "failed").execute();
  if (failed.length > 0) throw new PayoutsFailedError(new Set(failed.map(({ payoutId }) => payoutId)));
}

export function createTransactionStore(connection: Connection): TransactionStore {
  const { read, readOne, write, writeApart, writeBehind } = connection;
  // Nodes that sign at the same time choose the same nonce: one waits for the other and then fails.
  const addMany: TransactionStore["addMany"] = (rows, relays = []) =>
    writeApart(async (db) => {
      await requireNoneFailed(db, rows);
      await insertTransactions(db, rows.map(toStored));
      await addRelays(db, relays);
    });
  return {
    findByKeys: (calls) =>
      read(async (db) => {
        const found: TransactionRow[] = [];
        for (const [kind, ofKind] of Map.groupBy(calls, (call) => call.kind))
          for (const batch of splitIntoBatches(ofKind)) {
            const keys = batch.map(({ key }) => key);
            const query = db.selectFrom("transactions").selectAll().where("kind", "=", kind).where("key", "in", keys);
            found.push(...(await query.execute()).map(toTransactionRow));
          }
        return found;
      }),

    find: (id) =>
      readOne(async (db) => {
        return toFirst((await selectById(db, { id })).rows, toTransactionRow);
      }),

    add: (row) => addMany([row]),
    addMany,

    getLastNonce: (from) =>
      readOne(async (db) => {
        const query = db.selectFrom("transactions").select("nonce").where("from", "=", from);
        return (await query.orderBy("nonce", "desc").limit(1).executeTakeFirst())?.nonce ?? null;
      }),

    countSince: (from, sinceMs, upToNonce) =>
      readOne(async (db) => {
        const stored = db.selectFrom("transactions").where("from", "=", from).where("createdAtMs", ">=", sinceMs);
        return await countRows(stored.where("nonce", "<=", upToNonce));
      }),

    countBetween: (from, aboveNonce, upToNonce) =>
      readOne(async (db) => {
        const stored = db.selectFrom("transactions").where("from", "=", from).where("nonce", ">", aboveNonce);
        return await countRows(stored.where("nonce", "<=", upToNonce));
      }),

    listUnsettled: (from) =>
      readOne(async (db) => {
        const query = db.selectFrom("transactions").selectAll().where(IS_NOT_SETTLED).where("from", "=", from);
        return (await query.orderBy("nonce").execute()).map(toTransactionRow);
      }),

    listUnsettledOfOthers: (from) =>
      readOne(async (db) => {
        const rows = (await selectOfOthers(db, { from })).rows.map(toTransactionRow);
        return [...Map.groupBy(rows, (row) => row.from).values()].flatMap((ofSender) =>
          ofSender.sort((one, other) => one.nonce - other.nonce),
        );
      }),

    listUnconfirmed: (from, aboveBlock) =>
      readOne(async (db) => {
        const { rows } = await selectUnconfirmed(db, { from, aboveBlock });
        return rows.map(toTransactionRow).sort((one, other) => one.nonce - other.nonce);
      }),

    summarizeUnsettled: (from) =>
      readOne(async (db) => {
        const [summary] = (await selectSummary(db, { from })).rows;
        return { waiting: Number(summary!.waiting), newestBlock: summary!.newestBlock };
      }),

    settle: (from, upToBlock, atMs) =>
      write(async (db) => {
        const update = db.updateTable("transactions").set({ settledAtMs: atMs }).where("from", "=", from);
        await update.where(IS_NOT_SETTLED).where("block", "<=", upToBlock).execute();
      }),

    // Not worth waiting for the disk: a transaction still marked as queued after a power cut is found on the chain.
    markSent: (ids, atMs) => writeBehind((db) => markSent(db, ids, atMs)),

    noteRefusal: (id, lastError) =>
      write(async (db) => {
        const update = db.updateTable("transactions").set({ lastError }).where("id", "=", id);
        const { numUpdatedRows } = await update.where("status", "in", ["queued", "sent"]).executeTakeFirst();
        return numUpdatedRows === 1n;
      }),

    replace: ({ id, raw }, change, carriedOut = null) =>
      write(async (db) => {
        const isReplaced = (await updateSigned(db, { id, raw }, toColumns(change))) === 1n;
        if (isReplaced && carriedOut !== null) await completeOrder(db, carriedOut);
        return isReplaced;
      }),

    update: (id, change) => write((db) => updateRows(db, [id], change)),
    updateMany: (ids, change) => write((db) => updateRows(db, ids, change)),
  };
}
