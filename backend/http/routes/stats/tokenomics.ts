import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { asOf, decimal, token } from "../../schemas.ts";

export const statsTokenomics = defineRoute({
  name: "stats.tokenomics",
  method: "GET",
  path: "/api/tokenomics/summary",
  summary: "Token, float, caps and what was paid, as the chain has it",
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
  errors: ["CHAIN_UNAVAILABLE"],
  handle: (_, { stats }) => stats.tokenomics(),
});
