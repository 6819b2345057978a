/** The operator's transactions: lists them, and orders the running service to bump or cancel a waiting one. */
import { z } from "zod";
import {
  TRANSACTION_ORDER_OUTCOMES,
  TRANSACTION_ORDERS,
  TRANSACTION_STATES,
} from "../../../../domain/operator-transactions.ts";
import {
  findTransactionOrder,
  listTransactions,
  orderTransaction,
} from "../../../services/operations/actions/transactions.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { addressOut, decimal, hexOut, isoTime, text } from "../../schemas/values.ts";
import { defineConsoleRoute, limitQuery } from "./define-console-route.ts";

const id = text(1, 128).meta({ minLength: 1, maxLength: 128, pattern: "^[\\w-]+$" });

export const consoleTransactions = defineConsoleRoute({
  name: "console.transactions",
  method: "GET",
  path: "/api/console/transactions",
  summary: "The operator's transactions, newest first",
  query: z.strictObject(limitQuery),
  response: z.object({
    transactions: z.array(
      z.object({
        transactionId: z.string(),
        /** `status`, how final its block is, and why it failed or waits. */
        state: z.enum(TRANSACTION_STATES),
        kind: z.string(),
        key: z.string(),
        status: z.string(),
        from: addressOut,
        to: addressOut,
        selector: hexOut,
        value: decimal,
        nonce: z.int(),
        txHash: hexOut,
        block: z.int().nullable(),
        maxFeePerGas: decimal,
        createdAt: isoTime,
        sentAt: isoTime.nullable(),
        settledAt: isoTime.nullable(),
        lastError: z.string().nullable(),
      }),
    ),
  }),
  example: {
    response: {
      transactions: [
        {
          transactionId: EXAMPLES.sessionId,
          state: "included",
          kind: "payout",
          key: EXAMPLES.sessionId,
          status: "included",
          from: EXAMPLES.wallet,
          to: EXAMPLES.contract,
          selector: "0x0b7e9c44",
          value: "0",
          nonce: 3,
          txHash: EXAMPLES.digest,
          block: 42,
          maxFeePerGas: "2000000000",
          createdAt: EXAMPLES.at,
          sentAt: EXAMPLES.at,
          settledAt: null,
          lastError: null,
        },
      ],
    },
  },
  handle: ({ query }, { operator }) => listTransactions(operator, query),
});

const order = z
  .object({
    transactionId: z.string(),
    action: z.enum(TRANSACTION_ORDERS),
    orderId: z
      .string()
      .nullable()
      .meta({ description: "Null if there was nothing to order: the transaction does not wait" }),
    outcome: z
      .enum(TRANSACTION_ORDER_OUTCOMES)
      .nullable()
      .meta({ description: "Null until the service has carried it out, about a second" }),
  })
  .meta({ id: "TransactionOrder" });

const orderExample = { transactionId: EXAMPLES.sessionId, action: "bump", orderId: EXAMPLES.sessionId } as const;

export const consoleTransactionOrder = defineConsoleRoute({
  name: "console.transactionOrder",
  method: "POST",
  path: "/api/console/transactions/{transactionId}",
  summary:
    "Sends a waiting transaction again with higher fees, or frees its nonce with an empty transfer; written to the audit",
  params: z.strictObject({ transactionId: id }),
  body: z.strictObject({ action: z.enum(TRANSACTION_ORDERS) }),
  response: order,
  example: { request: { action: "bump" }, response: { ...orderExample, outcome: null } },
  errors: ["NOT_FOUND"],
  handle: ({ params, body }, { operator }) => orderTransaction(operator, { ...params, ...body }),
});

export const consoleTransactionOrderStatus = defineConsoleRoute({
  name: "console.transactionOrderStatus",
  method: "GET",
  path: "/api/console/transaction-orders/{orderId}",
  summary: "The outcome of an order for a transaction",
  params: z.strictObject({ orderId: id }),
  query: z.strictObject({}),
  response: order,
  example: { response: { ...orderExample, outcome: "bumped" } },
  errors: ["NOT_FOUND"],
  handle: ({ params }, { operator }) => findTransactionOrder(operator, params.orderId),
});
