import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { asOf, isoTime, walletBody } from "../../schemas.ts";

export const rewardsScorebank = defineRoute({
  name: "rewards.scorebank",
  method: "POST",
  path: "/api/rewards/scorebank",
  summary: "The wallet's score on the shared rewards contract, over all games",
  access: "wallet",
  limits: LIMITS.walletRead,
  body: walletBody,
  response: z.object({
    score: z.int(),
    snapshots: z.int(),
    lastSnapshotAt: isoTime.nullable(),
    pending: z.array(z.object({ sessionId: z.string(), gameSlug: z.string(), scoreDelta: z.int() })),
    byGame: z.record(z.string(), z.int()),
    asOf,
  }),
  errors: ["CHAIN_UNAVAILABLE"],
  handle: ({ caller }, { rewards }) => rewards.scorebank(caller.wallet),
});
