import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createCall } from "../../../../domain/typed-data/calls.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { call } from "../../schemas/calls.ts";
import { ownWallet, slug, sponsor } from "../../schemas/requests.ts";
import { decimal } from "../../schemas/values.ts";
import { payoutView } from "./schemas.ts";

export const rewardsPayout = defineRoute({
  name: "rewards.payout",
  method: "POST",
  path: "/api/rewards/payout",
  summary: "Pays the wallet's scorebank, or as much as the caps allow; 202 while the transaction waits for a block",
  access: "wallet",
  identity: "required",
  limits: LIMITS.payout,
  body: z
    .strictObject({
      ...ownWallet,
      gameSlug: slug.optional(),
      mode: z.enum(["relay", "self"]).default("relay"),
      sponsor,
    })
    .refine((body) => !body.sponsor || body.mode === "relay", { error: "sponsor: true needs mode relay" })
    .meta({
      anyOf: [{ properties: { sponsor: { const: false } } }, { properties: { mode: { const: "relay" } } }],
    }),
  response: z.union([
    payoutView.extend({ mode: z.literal("relayed").exactOptional() }),
    z.object({
      mode: z.literal("self"),
      call,
      amount: decimal,
      score: z.int(),
      points: z.int(),
      remainingPoints: z.int(),
    }),
  ]),
  example: { response: EXAMPLES.payout },
  otherExamples: {
    sponsored: { request: { sponsor: true }, response: { mode: "relayed", ...EXAMPLES.payout } },
    self: {
      request: { mode: "self" },
      response: {
        mode: "self",
        call: createCall(EXAMPLES.chainId, EXAMPLES.contract, "payoutAtLeast", [EXAMPLES.wallet, EXAMPLES.amount]),
        amount: EXAMPLES.amount,
        score: EXAMPLES.score,
        points: EXAMPLES.score,
        remainingPoints: 0,
      },
    },
  },
  errors: ["GAME_NOT_FOUND", "PAYOUT_NOT_READY", "CHAIN_UNAVAILABLE"],
  statuses: [200, 202],
  idempotent: true,
  services: ["payouts", "catalog"],
  handle: async ({ body, caller }, { payouts, catalog }) => {
    const gameSlug = body.gameSlug === undefined ? null : catalog.resolveSlug(body.gameSlug);
    if (body.mode === "self") return payouts.prepareSelfCall(caller.wallet);
    const paid = await payouts.relay(caller.wallet, gameSlug);
    // Every payout is relayed; a request with `sponsor` gets the same `mode` as relays of other calls.
    const payout = body.sponsor ? { mode: "relayed" as const, ...paid } : paid;
    return payout.status === "pending" || payout.status === "sent" ? new HttpResponse(202, payout) : payout;
  },
});
