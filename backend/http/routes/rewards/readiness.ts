import { z } from "zod";
import { READINESS_REASONS } from "../../../domain/rewards.ts";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { asOf, decimal, isoTime, token, walletBody } from "../../schemas.ts";

export const rewardsReadiness = defineRoute({
  name: "rewards.readiness",
  method: "POST",
  path: "/api/rewards/readiness",
  summary: "Whether the wallet can be paid, as the contract says; if not, why and when",
  access: "wallet",
  limits: LIMITS.walletRead,
  body: walletBody,
  response: z.object({
    ready: z.boolean(),
    reasons: z.array(z.enum([...READINESS_REASONS, "PAYOUT_PENDING"])),
    scorebank: z.int(),
    amount: decimal,
    token,
    nextEligibleAt: isoTime.nullable(),
    caps: z.object({ dailyRemaining: decimal, weeklyRemaining: decimal, float: decimal }),
    asOf,
  }),
  errors: ["CHAIN_UNAVAILABLE"],
  handle: ({ caller }, { payouts }) => payouts.readiness(caller.wallet),
});
