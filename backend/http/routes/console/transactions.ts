import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { TRANSACTION_STATES } from "../../../../domain/operator-transactions.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { addressOut, decimal, hexOut, isoTime } from "../../schemas/values.ts";
import { limitQuery } from "./schemas.ts";

export const consoleTransactions = defineRoute({
  name: "console.transactions",
  method: "GET",
  path: "/api/console/transactions",
  summary: "The operator's transactions, newest first",
  access: "admin",
  limits: LIMITS.publicRead,
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
        nonce: z.int(),
        txHash: hexOut,
        block: z.int().nullable(),
        maxFeePerGas: decimal,
        createdAt: isoTime,
        sentAt: isoTime.nullable(),
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
          nonce: 3,
          txHash: EXAMPLES.digest,
          block: 42,
          maxFeePerGas: "2000000000",
          createdAt: EXAMPLES.at,
          sentAt: EXAMPLES.at,
          lastError: null,
        },
      ],
    },
  },
  errors: [],
  services: ["console"],
  handle: ({ query }, { console }) => console.listTransactions(query.limit),
});
