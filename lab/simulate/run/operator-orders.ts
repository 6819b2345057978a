/** The operator's orders for a waiting transaction, as `npm run admin -- tx bump` and `tx cancel` place them. */
import type { TransactionOrder } from "../../../domain/operator-transactions.ts";
import { hasOrders } from "./faults.ts";
import type { World } from "./world.ts";

const FIRST_WAITING = "select id from transactions where status in ('queued', 'sent') order by nonce limit 1";
const ORDER =
  "insert into transaction_orders (order_id, transaction_id, action, who, requested_at_ms) values (?, ?, ?, 'operator', ?)";
const OPEN = "select order_id from transaction_orders where done_at_ms is null";

/** Orders for the operator's first waiting transaction. False if there is none, or the store cannot be written. */
export function orderTransaction(world: World, order: TransactionOrder): boolean {
  const { disk, wallMs } = world;
  // If the service's open transaction were rolled back, the order would be lost.
  if (disk.database.inTransaction) return false;
  const row = disk.database.prepare(FIRST_WAITING).get() as { readonly id: string } | undefined;
  if (row === undefined) return false;
  disk.database.prepare(ORDER).run(`order for ${row.id}`, row.id, order, wallMs);
  world.note(`${order} of ${row.id} is ordered`);
  return true;
}

/** Null if each order was carried out. */
export function findOpenOrder({ disk, plan }: World): string | null {
  if (!hasOrders(plan)) return null;
  const row = disk.database.prepare(OPEN).get() as { readonly order_id: string } | undefined;
  return row === undefined ? null : row.order_id;
}
