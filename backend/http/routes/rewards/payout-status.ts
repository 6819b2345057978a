import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { payoutView } from "../../schemas.ts";

export const rewardsPayoutStatus = defineRoute({
  name: "rewards.payoutStatus",
  method: "GET",
  path: "/api/rewards/payout/{payoutId}",
  summary: "Where one payout stands",
  access: "wallet",
  limits: LIMITS.walletRead,
  params: z.strictObject({ payoutId: z.string() }),
  response: payoutView,
  errors: ["NOT_FOUND"],
  handle: ({ params, caller }, { payouts }) => payouts.status(caller.wallet, params.payoutId),
});
