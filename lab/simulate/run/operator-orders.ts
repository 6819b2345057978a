/** What the operator orders for a transaction that waits, as `npm run admin -- tx bump` and `tx cancel` do. */
import type { TransactionOrder } from "../../../domain/operator-transactions.ts";
import { hasOrders } from "./faults.ts";
import type { World } from "./world.ts";

const FIRST_WAITING = "select id from transactions where status in ('queued', 'sent') order by nonce limit 1";
const ORDER =
  "insert into transaction_orders (order_id, transaction_id, action, who, requested_at_ms) values (?, ?, ?, 'operator', ?)";
const OPEN = "select order_id from transaction_orders where done_at_ms is null";

/** For the operator's first transaction that waits. False if the store has none, or cannot be written now. */
export function orderTransaction(world: World, order: TransactionOrder): boolean {
  const { disk, wallMs } = world;
  // The service's transaction would take the order with it when it is rolled back.
  if (disk.database.inTransaction) return false;
  const row = disk.database.prepare(FIRST_WAITING).get() as { readonly id: string } | undefined;
  if (row === undefined) return false;
  disk.database.prepare(ORDER).run(`order for ${row.id}`, row.id, order, wallMs);
  world.note(`${order} of ${row.id} is ordered`);
  return true;
}

/** Null where each order was carried out. */
export function findOpenOrder({ disk, plan }: World): string | null {
  if (!hasOrders(plan)) return null;
  const row = disk.database.prepare(OPEN).get() as { readonly order_id: string } | undefined;
  return row === undefined ? null : row.order_id;
}
