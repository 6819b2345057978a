import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { pathTexts } from "../../schemas/values.ts";
import { payoutView } from "./schemas.ts";

export const rewardsPayoutStatus = defineRoute({
  name: "rewards.payoutStatus",
  method: "GET",
  path: "/api/rewards/payout/{payoutId}",
  summary: "The status of one payout",
  access: "wallet",
  limits: LIMITS.walletRead,
  params: z.strictObject({ payoutId: pathTexts.id }),
  response: payoutView,
  example: { response: EXAMPLES.payout },
  errors: ["NOT_FOUND"],
  services: ["payouts"],
  handle: ({ params, caller }, { payouts }) => payouts.getStatus(caller.wallet, params.payoutId),
});
