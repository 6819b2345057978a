import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { TRANSACTION_ORDER_OUTCOMES, TRANSACTION_ORDERS } from "../../../../domain/operator-transactions.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";

const id = z.string().min(1).max(128);

const response = z
  .object({
    transactionId: z.string(),
    action: z.enum(TRANSACTION_ORDERS),
    orderId: z.string().nullable().meta({ description: "Null where nothing was ordered, since nothing waits" }),
    outcome: z
      .enum(TRANSACTION_ORDER_OUTCOMES)
      .nullable()
      .meta({ description: "Null until a server has carried it out, within about a second" }),
  })
  .meta({ id: "TransactionOrder" });

const order = { transactionId: EXAMPLES.sessionId, action: "bump", orderId: EXAMPLES.sessionId } as const;

export const consoleTransactionOrder = defineRoute({
  name: "console.transactionOrder",
  method: "POST",
  path: "/api/console/transactions/{transactionId}",
  summary:
    "Has the service send a waiting transaction again with higher fees, or free its nonce by an empty transfer; written to the audit",
  access: "admin",
  limits: LIMITS.publicRead,
  params: z.strictObject({ transactionId: id }),
  body: z.strictObject({ action: z.enum(TRANSACTION_ORDERS) }),
  response,
  example: { request: { action: "bump" }, response: { ...order, outcome: null } },
  errors: ["NOT_FOUND"],
  services: ["console"],
  handle: ({ params, body }, { console }) => console.orderTransaction(params.transactionId, body.action),
});

export const consoleTransactionOrderStatus = defineRoute({
  name: "console.transactionOrderStatus",
  method: "GET",
  path: "/api/console/transaction-orders/{orderId}",
  summary: "What became of an order for a transaction",
  access: "admin",
  limits: LIMITS.publicRead,
  params: z.strictObject({ orderId: id }),
  query: z.strictObject({}),
  response,
  example: { response: { ...order, outcome: "bumped" } },
  errors: ["NOT_FOUND"],
  services: ["console"],
  handle: ({ params }, { console }) => console.findTransactionOrder(params.orderId),
});
