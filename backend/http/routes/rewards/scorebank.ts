import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { asOf } from "../../schemas/chain.ts";
import { walletBody } from "../../schemas/requests.ts";
import { isoTime } from "../../schemas/values.ts";

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
  example: {
    response: {
      score: EXAMPLES.score,
      snapshots: 1,
      lastSnapshotAt: EXAMPLES.at,
      pending: [],
      byGame: { [EXAMPLES.slug]: EXAMPLES.score },
      asOf: EXAMPLES.asOf,
    },
  },
  errors: ["CHAIN_UNAVAILABLE"],
  services: ["rewards"],
  handle: ({ caller }, { rewards }) => rewards.getScorebank(caller.wallet),
});
