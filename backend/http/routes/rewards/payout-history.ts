import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { decimal, finality, hexOut, isoTime, pageBody, pageOut, slug, token } from "../../schemas.ts";

const entry = z.object({
  payoutId: z.string().nullable(),
  txHash: hexOut,
  block: z.int(),
  at: isoTime,
  score: z.int(),
  amount: decimal,
  token,
  finality,
  byGame: z.record(z.string(), z.int()),
});

export const rewardsPayoutHistory = defineRoute({
  name: "rewards.payoutHistory",
  method: "POST",
  path: "/api/rewards/payout-history",
  summary: "The wallet's payouts; a slug shows that game's share, `all` or includeAllGames the whole",
  access: "wallet",
  limits: LIMITS.walletRead,
  body: z.strictObject({ includeAllGames: z.boolean().default(false), gameSlug: slug.optional(), ...pageBody }),
  response: z.object({ ...pageOut(entry), entries: z.array(entry) }),
  errors: ["GAME_NOT_FOUND", "CHAIN_UNAVAILABLE"],
  handle: ({ body, caller }, { payouts, catalog }) => {
    const global = body.includeAllGames || body.gameSlug === undefined || body.gameSlug === "all";
    const gameSlug = global ? null : catalog.resolveSlug(body.gameSlug!);
    return payouts.history(caller.wallet, gameSlug, { page: body.page, limit: body.limit });
  },
});
