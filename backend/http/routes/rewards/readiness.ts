import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { READINESS_REASONS } from "../../../../domain/rewards.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { asOf, token } from "../../schemas/chain.ts";
import { walletBody } from "../../schemas/requests.ts";
import { decimal, isoTime } from "../../schemas/values.ts";

export const rewardsReadiness = defineRoute({
  name: "rewards.readiness",
  method: "POST",
  path: "/api/rewards/readiness",
  summary: "Whether the contract would pay the wallet now; if not, why and when",
  access: "wallet",
  limits: LIMITS.walletRead,
  body: walletBody,
  response: z.object({
    ready: z.boolean(),
    reasons: z.array(z.enum([...READINESS_REASONS, "PAYOUT_PENDING"])),
    scorebank: z.int(),
    amount: decimal,
    points: z.int(),
    remainingPoints: z.int(),
    token,
    nextEligibleAt: isoTime.nullable(),
    eligibleInSeconds: z
      .int()
      .nullable()
      .meta({ description: "Seconds until nextEligibleAt by the chain's clock, which may differ from yours" }),
    caps: z.object({ dailyRemaining: decimal, weeklyRemaining: decimal, float: decimal }),
    asOf,
  }),
  example: {
    response: {
      ready: true,
      reasons: [],
      scorebank: EXAMPLES.score,
      amount: EXAMPLES.amount,
      points: EXAMPLES.score,
      remainingPoints: 0,
      token: EXAMPLES.token,
      nextEligibleAt: null,
      eligibleInSeconds: null,
      caps: {
        dailyRemaining: "1000000000000000000000",
        weeklyRemaining: "5000000000000000000000",
        float: "9000000000000000000000",
      },
      asOf: EXAMPLES.asOf,
    },
  },
  errors: ["CHAIN_UNAVAILABLE"],
  services: ["payouts"],
  handle: ({ caller }, { payouts }) => payouts.getReadiness(caller.wallet),
});
