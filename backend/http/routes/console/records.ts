/** What the operator reads: the audit, signatures, open payouts, error responses. */
import { z } from "zod";
import { listAudit, listErrors, listOpenPayouts, listSignings } from "../../../services/operations/actions/records.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { addressOut, decimal, hexOut, isoTime, text } from "../../schemas/values.ts";
import { defineConsoleRoute, limitQuery } from "./define-console-route.ts";

export const consoleAudit = defineConsoleRoute({
  name: "console.audit",
  method: "GET",
  path: "/api/console/audit",
  summary: "What operators have changed, newest first",
  query: z.strictObject({ ...limitQuery, subject: text(1, 200).optional() }),
  response: z.object({
    audit: z.array(
      z.object({
        auditId: z.string(),
        at: isoTime,
        who: z.string(),
        action: z.string(),
        subject: z.string(),
        before: z.unknown(),
        after: z.unknown(),
      }),
    ),
  }),
  example: {
    response: {
      audit: [
        {
          auditId: EXAMPLES.sessionId,
          at: EXAMPLES.at,
          who: "console",
          action: "service.drain",
          subject: "service",
          before: { draining: false },
          after: { draining: true, reason: "update" },
        },
      ],
    },
  },
  handle: ({ query }, { operator }) => listAudit(operator, query),
});

export const consoleSignings = defineConsoleRoute({
  name: "console.signings",
  method: "GET",
  path: "/api/console/signings",
  summary: "What the service has signed, newest first, without the signatures",
  query: z.strictObject(limitQuery),
  response: z.object({
    signings: z.array(z.object({ kind: z.string(), key: z.string(), payloadHash: hexOut, at: isoTime })),
  }),
  example: {
    response: {
      signings: [{ kind: "Snapshot", key: EXAMPLES.sessionId, payloadHash: EXAMPLES.digest, at: EXAMPLES.at }],
    },
  },
  handle: ({ query }, { operator }) => listSignings(operator, query),
});

export const consolePayouts = defineConsoleRoute({
  name: "console.payouts",
  method: "GET",
  path: "/api/console/payouts",
  summary: "Payouts that are not in a block yet, with their transactions",
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
  handle: (_, { operator }) => listOpenPayouts(operator),
});

export const consoleErrors = defineConsoleRoute({
  name: "console.errors",
  method: "GET",
  path: "/api/console/errors",
  summary: "The last error responses of this process, or those of one request",
  query: z.strictObject({ ...limitQuery, requestId: text(1, 128).optional() }),
  response: z.object({
    errors: z.array(
      z.object({
        requestId: z.string(),
        at: isoTime,
        method: z.string(),
        route: z.string(),
        status: z.int(),
        code: z.string(),
        message: z.string(),
      }),
    ),
  }),
  example: {
    response: {
      errors: [
        {
          requestId: EXAMPLES.sessionId,
          at: EXAMPLES.at,
          method: "POST",
          route: "rewards.payout",
          status: 409,
          code: "PAYOUT_NOT_READY",
          message: "The wallet cannot be paid now.",
        },
      ],
    },
  },
  handle: async ({ query }, { operator }) => listErrors(operator, query),
});
