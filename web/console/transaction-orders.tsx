/** The operator's actions on a transaction that is not in a block yet. */
import { useSignal } from "@preact/signals";
import type { Answer } from "../../client/api.ts";
import { ActionButton } from "../components/action-button.tsx";
import { CONSOLE_LABELS } from "../labels/console.ts";
import { client } from "../wallet/service.ts";
import { asOperator } from "./console-store.ts";

type Order = Answer<"console.transactionOrder">;

const POLL_MS = 500;
const POLLS_MAX = 20;

/** Places the order, and waits about ten seconds for the server to carry it out. */
async function placeOrder(transactionId: string, action: Order["action"]): Promise<Order> {
  let order = await client.console.transactionOrder({ transactionId, action }, asOperator());
  for (let poll = 0; poll < POLLS_MAX && order.outcome === null && order.orderId !== null; poll += 1) {
    await client.retry.sleep(POLL_MS);
    order = await client.console.transactionOrderStatus({ orderId: order.orderId }, asOperator());
  }
  return order;
}

export function TransactionOrders({
  transactionId,
  nonce,
}: {
  readonly transactionId: string;
  readonly nonce: number;
}) {
  const order = useSignal<Order | null>(null);
  const place = (action: Order["action"]) => async (): Promise<void> => {
    order.value = null;
    order.value = await placeOrder(transactionId, action);
  };
  return (
    <span class="row-actions">
      <ActionButton label={CONSOLE_LABELS.bump} description={`nonce ${nonce}`} isQuiet onClick={place("bump")} />
      <ActionButton label={CONSOLE_LABELS.cancel} description={`nonce ${nonce}`} isQuiet onClick={place("cancel")} />
      {order.value !== null && (
        <span role="status">
          {order.value.outcome === null
            ? CONSOLE_LABELS.orderPlaced
            : CONSOLE_LABELS.orderOutcomes[order.value.outcome]}
        </span>
      )}
    </span>
  );
}
