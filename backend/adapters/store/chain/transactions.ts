/** The operator's transactions, stored before they are sent. */
import type { TransactionRow, TransactionStore } from "../../../ports/store/chain.ts";
import { IS_NOT_SETTLED } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { packUint, unpackUint } from "../numbers.ts";
import type { TransactionTable } from "../schema.ts";

const toRow = (row: TransactionTable): TransactionRow => ({
  ...row,
  value: unpackUint(row.value),
  maxFeePerGas: unpackUint(row.maxFeePerGas),
  maxPriorityFeePerGas: unpackUint(row.maxPriorityFeePerGas),
});

export function createTransactionStore({ read, write }: Connection): TransactionStore {
  return {
    findByKey: (kind, key) =>
      read(async (db) => {
        const query = db.selectFrom("transactions").selectAll().where("kind", "=", kind).where("key", "=", key);
        const row = await query.executeTakeFirst();
        return row === undefined ? null : toRow(row);
      }),

    find: (id) =>
      read(async (db) => {
        const row = await db.selectFrom("transactions").selectAll().where("id", "=", id).executeTakeFirst();
        return row === undefined ? null : toRow(row);
      }),

    add: (row) =>
      write(async (db) => {
        await db
          .insertInto("transactions")
          .values({
            ...row,
            value: packUint(row.value),
            maxFeePerGas: packUint(row.maxFeePerGas),
            maxPriorityFeePerGas: packUint(row.maxPriorityFeePerGas),
          })
          .execute();
      }),

    getLastNonce: (from) =>
      read(async (db) => {
        const query = db
          .selectFrom("transactions")
          .select("nonce")
          .where("from", "=", from)
          .orderBy("nonce", "desc")
          .limit(1);
        return (await query.executeTakeFirst())?.nonce ?? null;
      }),

    listUnsettled: (from) =>
      read(async (db) => {
        const query = db
          .selectFrom("transactions")
          .selectAll()
          .where(IS_NOT_SETTLED)
          .where("from", "=", from)
          .orderBy("nonce");
        return (await query.execute()).map(toRow);
      }),

    update: (id, { maxFeePerGas, maxPriorityFeePerGas, ...change }) =>
      write(async (db) => {
        const changes = {
          ...change,
          ...(maxFeePerGas !== undefined && { maxFeePerGas: packUint(maxFeePerGas) }),
          ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas: packUint(maxPriorityFeePerGas) }),
        };
        if (Object.keys(changes).length === 0) return;
        const result = await db.updateTable("transactions").set(changes).where("id", "=", id).executeTakeFirstOrThrow();
        if (result.numUpdatedRows !== 1n) throw new Error(`transactions.update: there is no transaction ${id}`);
      }),
  };
}
