import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { emptyBody, sessionParams } from "../../schemas/requests.ts";
import { channelToken } from "./schemas.ts";

export const sessionsSpectateTokenPublic = defineRoute({
  name: "sessions.spectateTokenPublic",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/spectate-token-public",
  summary: "A token for the spectate channel without a sign-in; reserves a seat",
  access: "public",
  limits: LIMITS.tokens,
  params: sessionParams,
  body: emptyBody,
  response: channelToken,
  example: { response: EXAMPLES.spectateToken },
  errors: ["SESSION_ENDED", "SPECTATORS_FULL"],
  services: ["sessions", "channelTokens"],
  handle: async ({ params, ip }, { sessions, channelTokens }) =>
    channelTokens.issueSpectate(await sessions.find(params.slug, params.sessionId), {
      wallet: null,
      familyId: null,
      ip,
    }),
});
