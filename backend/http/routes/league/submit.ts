import { z } from "zod";
import { stripFence } from "../../../../domain/league/policy-text.ts";
import { LEAGUE_LIMITS, LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams, ownWallet } from "../../schemas/requests.ts";
import { POLICY_EXAMPLE, SUBMITTED_EXAMPLE, submittedPolicy } from "./schemas.ts";

export const leagueSubmit = defineRoute({
  name: "league.submit",
  method: "POST",
  path: "/api/league/{slug}/policy",
  summary: "Submits the caller's policy for the current season, replacing an earlier one",
  access: "wallet",
  identity: "required",
  limits: LIMITS.policy,
  params: gameParams,
  body: z.strictObject({
    ...ownWallet,
    text: z.string().transform(stripFence).meta({
      description:
        "JavaScript text of a function (frame, memory) => move or null, at most 65,536 bytes in UTF-8; a Markdown fence around the whole text is removed",
    }),
  }),
  bodyBytes: LEAGUE_LIMITS.bodyBytes,
  response: submittedPolicy,
  example: { request: { text: POLICY_EXAMPLE }, response: SUBMITTED_EXAMPLE },
  errors: ["LEAGUE_OFF", "POLICY_INVALID", "SEASON_CLOSED"],
  services: ["league"],
  handle: ({ params, body, caller }, { league }) =>
    league.submit({ slug: params.slug, wallet: caller.wallet, text: body.text }),
});
