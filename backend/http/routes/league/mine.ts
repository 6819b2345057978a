import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams } from "../../schemas/requests.ts";
import { POLICY_EXAMPLE, SUBMITTED_EXAMPLE, submittedPolicy } from "./schemas.ts";

export const leagueMine = defineRoute({
  name: "league.mine",
  method: "GET",
  path: "/api/league/{slug}/policy",
  summary: "The caller's policy of the current season with its text; null if it has none",
  access: "wallet",
  limits: LIMITS.walletRead,
  params: gameParams,
  response: z.object({ policy: submittedPolicy.extend({ text: z.string() }).nullable() }),
  example: { response: { policy: { ...SUBMITTED_EXAMPLE, text: POLICY_EXAMPLE } } },
  errors: ["LEAGUE_OFF"],
  services: ["league"],
  handle: async ({ params, caller }, { league }) => ({ policy: await league.findOwn(params.slug, caller.wallet) }),
});
