/** The operator's orders for transactions, and their results. */
import type { OperatorStore } from "../../../ports/store/admin.ts";
import type { CarriedOutOrder } from "../../../ports/store/chain.ts";
import { IS_OPEN_COMMAND } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import type { Db } from "../schema.ts";
import { writeAudit } from "./audit.ts";

type TransactionOrders = Pick<
  OperatorStore,
  "orderTransaction" | "findTransactionOrder" | "listOpenTransactionOrders" | "completeTransactionOrder"
>;

/** Orders that are already completed stay unchanged. */
export async function completeOrder(db: Db, { orderId, outcome, atMs }: CarriedOutOrder): Promise<void> {
  const update = db.updateTable("transactionOrders").set({ outcome, doneAtMs: atMs }).where("orderId", "=", orderId);
  await update.where("doneAtMs", "is", null).execute();
}

export function createTransactionOrders({ read, write }: Connection): TransactionOrders {
  return {
    orderTransaction: (transactionId, action, stamp) =>
      write(async (db) => {
        const { auditId: orderId, who, atMs: requestedAtMs } = stamp;
        const row = { orderId, transactionId, action, who, requestedAtMs, doneAtMs: null, outcome: null };
        await db.insertInto("transactionOrders").values(row).execute();
        await writeAudit(db, stamp, {
          action: `tx.${action}`,
          subject: transactionId,
          before: null,
          after: { ordered: action },
        });
      }),

    findTransactionOrder: (orderId) =>
      read(async (db) => {
        const query = db.selectFrom("transactionOrders").selectAll().where("orderId", "=", orderId);
        return (await query.executeTakeFirst()) ?? null;
      }),

    listOpenTransactionOrders: () =>
      read((db) => db.selectFrom("transactionOrders").selectAll().where(IS_OPEN_COMMAND).orderBy("orderId").execute()),

    completeTransactionOrder: (orderId, outcome, atMs) => write((db) => completeOrder(db, { orderId, outcome, atMs })),
  };
}
