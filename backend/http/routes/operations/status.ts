import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply } from "../../route.ts";
import { isoTime } from "../../schemas.ts";
import { readinessCheck } from "./health.ts";

const milliseconds = z.number().min(0);

export const status = defineRoute({
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
    recorderFailures: z.int(),
    scoresWithheld: z.int(),
  }),
  errors: [],
  plain: true,
  handle: async (_, { operations }) =>
    new Reply(200, JSON.stringify(await operations.status()), { "Content-Type": "application/json" }),
});
