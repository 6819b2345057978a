import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createExamplePage, EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { finality, token } from "../../schemas/chain.ts";
import { namedPageOut, nameList, pageBody } from "../../schemas/pages.ts";
import { ownWallet, slug } from "../../schemas/requests.ts";
import type { Example } from "../../schemas/types.ts";
import { decimal, hexOut, isoTime } from "../../schemas/values.ts";

const entry = z
  .object({
    /** For a payout that the wallet sent itself, the transaction's hash. */
    payoutId: z.string(),
    txHash: hexOut,
    block: z.int(),
    at: isoTime,
    score: z.int(),
    amount: decimal,
    token,
    finality,
    byGame: z.record(z.string(), z.int()),
  })
  .meta({ id: "PayoutEntry" });

const entryExample: Example<typeof entry> = {
  payoutId: EXAMPLES.sessionId,
  txHash: EXAMPLES.digest,
  block: 42,
  at: EXAMPLES.at,
  score: EXAMPLES.score,
  amount: EXAMPLES.amount,
  token: EXAMPLES.token,
  finality: "included",
  byGame: { [EXAMPLES.slug]: EXAMPLES.score },
};

export const rewardsPayoutHistory = defineRoute({
  name: "rewards.payoutHistory",
  method: "POST",
  path: "/api/rewards/payout-history",
  summary: "The wallet's payouts: a slug shows that game's share, `all` or includeAllGames the full amount",
  access: "wallet",
  limits: LIMITS.walletRead,
  body: z.strictObject({
    ...ownWallet,
    includeAllGames: z.boolean().default(false),
    gameSlug: slug.optional(),
    ...pageBody,
  }),
  response: z.object(namedPageOut("entries", entry)),
  example: {
    request: { includeAllGames: true },
    response: nameList("entries", createExamplePage(entryExample)),
  },
  errors: ["GAME_NOT_FOUND", "CHAIN_UNAVAILABLE"],
  services: ["payouts", "catalog"],
  handle: async ({ body, caller }, { payouts, catalog }) => {
    const global = body.includeAllGames || body.gameSlug === undefined || body.gameSlug === "all";
    const gameSlug = global ? null : catalog.resolveSlug(body.gameSlug!);
    const page = await payouts.listHistory(caller.wallet, gameSlug, { page: body.page, limit: body.limit });
    return nameList("entries", page);
  },
});
