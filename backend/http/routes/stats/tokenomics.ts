import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { asOf, token } from "../../schemas/chain.ts";
import { decimal } from "../../schemas/values.ts";

export const statsTokenomics = defineRoute({
  name: "stats.tokenomics",
  method: "GET",
  path: "/api/tokenomics/summary",
  summary: "Token, float, caps and payouts, as on chain",
  access: "public",
  limits: LIMITS.publicRead,
  query: z.strictObject({}),
  response: z.object({
    token,
    totalSupply: decimal,
    float: decimal,
    paidToday: decimal,
    paidTotal: decimal,
    dailyCap: decimal,
    weeklyCap: decimal,
    scoreToTokenRate: decimal,
    snapshots: z.int(),
    payouts: z.int(),
    asOf,
  }),
  example: {
    response: {
      token: EXAMPLES.token,
      totalSupply: "1000000000000000000000000000",
      float: "9000000000000000000000",
      paidToday: EXAMPLES.amount,
      paidTotal: EXAMPLES.amount,
      dailyCap: "100000000000000000000000000",
      weeklyCap: "500000000000000000000000000",
      scoreToTokenRate: "1000000000000000000",
      snapshots: 1,
      payouts: 1,
      asOf: EXAMPLES.asOf,
    },
  },
  errors: ["CHAIN_UNAVAILABLE"],
  kept: ["chain"],
  services: ["stats"],
  handle: (_, { stats }) => stats.getTokenomics(),
});
