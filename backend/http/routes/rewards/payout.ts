import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute, Reply } from "../../route.ts";
import { call, decimal, payoutView, slug } from "../../schemas.ts";

export const rewardsPayout = defineRoute({
  name: "rewards.payout",
  method: "POST",
  path: "/api/rewards/payout",
  summary: "Pays the wallet's scorebank; 202 while its transaction waits for a block",
  access: "wallet",
  identity: "fresh",
  limits: LIMITS.payout,
  body: z.strictObject({ gameSlug: slug.optional(), mode: z.enum(["relay", "self"]).default("relay") }),
  response: z.union([payoutView, z.object({ mode: z.literal("self"), call, amount: decimal, score: z.int() })]),
  errors: ["GAME_NOT_FOUND", "IDENTITY_REQUIRED", "PAYOUT_NOT_READY", "CHAIN_UNAVAILABLE"],
  statuses: [200, 202],
  creates: true,
  remember: (answer) => answer,
  handle: async ({ body, caller }, { payouts, catalog }) => {
    const gameSlug = body.gameSlug === undefined ? null : catalog.resolveSlug(body.gameSlug);
    if (body.mode === "self") return payouts.selfCall(caller.wallet);
    const payout = await payouts.relay(caller.wallet, gameSlug);
    return payout.status === "pending" || payout.status === "sent" ? new Reply(202, payout) : payout;
  },
});
