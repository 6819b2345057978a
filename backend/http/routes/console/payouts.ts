import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { addressOut, decimal, hexOut, isoTime } from "../../schemas/values.ts";

export const consolePayouts = defineRoute({
  name: "console.payouts",
  method: "GET",
  path: "/api/console/payouts",
  summary: "Payouts that are not in a block yet, with their transactions",
  access: "admin",
  limits: LIMITS.publicRead,
  query: z.strictObject({}),
  response: z.object({
    payouts: z.array(
      z.object({
        payoutId: z.string(),
        walletAddress: addressOut,
        status: z.string(),
        score: z.int(),
        amount: decimal,
        createdAt: isoTime,
        nonce: z.int().nullable(),
        txHash: hexOut.nullable(),
        lastError: z.string().nullable(),
      }),
    ),
  }),
  example: {
    response: {
      payouts: [
        {
          payoutId: EXAMPLES.sessionId,
          walletAddress: EXAMPLES.wallet,
          status: "sent",
          score: EXAMPLES.score,
          amount: EXAMPLES.amount,
          createdAt: EXAMPLES.at,
          nonce: 3,
          txHash: EXAMPLES.digest,
          lastError: null,
        },
      ],
    },
  },
  errors: [],
  services: ["console"],
  handle: (_, { console }) => console.listPayouts(),
});
