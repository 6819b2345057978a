import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { decimal, isoTime } from "../../schemas/values.ts";
import { readinessCheck } from "./schemas.ts";

const milliseconds = z.number().min(0);

export const operationsStatus = defineRoute({
  name: "operations.status",
  method: "GET",
  path: "/status",
  summary: "What the service is doing: chain, games, ticks and the checks of /readyz",
  access: "public",
  limits: LIMITS.publicRead,
  response: z.object({
    service: z.literal("agent-arcade"),
    startedAt: isoTime,
    uptimeSeconds: z.int().min(0),
    ready: z.boolean(),
    checks: z.array(readinessCheck),
    chain: z.object({
      chainId: z.int(),
      head: z.int().nullable(),
      followed: z.int().nullable(),
      lagBlocks: z.int().nullable(),
      healthy: z.boolean(),
      outageMs: milliseconds,
    }),
    games: z.array(z.object({ slug: z.string(), sessions: z.int(), spectators: z.int() })),
    ticks: z.object({
      count: z.int(),
      dropped: z.int(),
      lateP50Ms: milliseconds,
      lateP99Ms: milliseconds,
      lateMaxMs: milliseconds,
    }),
    payouts: z.object({
      operatorBalanceWei: decimal.nullable(),
      float: decimal.nullable(),
      openPayouts: z.int().min(0),
      oldestOpenSeconds: z.number().min(0),
      transactions: z.object({
        included: z.int().min(0),
        failed: z.int().min(0),
        refused: z.int().min(0),
        bumped: z.int().min(0),
        reorganized: z.int().min(0),
        aboveFeeCap: z.int().min(0),
        againstPolicy: z.int().min(0),
      }),
    }),
    recorderFailures: z.int(),
    scoresWithheld: z.int(),
  }),
  example: {
    response: {
      service: "agent-arcade",
      startedAt: EXAMPLES.at,
      uptimeSeconds: 3600,
      ready: true,
      checks: [{ name: "database", ok: true, sentence: "fine", required: true }],
      chain: { chainId: EXAMPLES.chainId, head: 42, followed: 42, lagBlocks: 0, healthy: true, outageMs: 0 },
      games: [{ slug: EXAMPLES.slug, sessions: 1, spectators: 4 }],
      ticks: { count: 54000, dropped: 0, lateP50Ms: 0.2, lateP99Ms: 1.5, lateMaxMs: 4 },
      payouts: {
        operatorBalanceWei: "50000000000000000",
        float: "1000000000000000000000000",
        openPayouts: 0,
        oldestOpenSeconds: 0,
        transactions: {
          included: 12,
          failed: 0,
          refused: 0,
          bumped: 1,
          reorganized: 0,
          aboveFeeCap: 0,
          againstPolicy: 0,
        },
      },
      recorderFailures: 0,
      scoresWithheld: 0,
    },
  },
  plain: true,
  services: ["operations"],
  handle: async (_, { operations }) =>
    new HttpResponse(200, JSON.stringify(await operations.getStatus()), { "Content-Type": "application/json" }),
});
