import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { playerBody, sessionParams } from "../../schemas/requests.ts";
import { channelToken } from "./schemas.ts";

export const sessionsSpectateToken = defineRoute({
  name: "sessions.spectateToken",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/spectate-token",
  summary: "A token for the spectate channel for a signed-in viewer; reserves a seat",
  access: "wallet",
  limits: LIMITS.tokens,
  params: sessionParams,
  body: playerBody,
  response: channelToken,
  example: { response: EXAMPLES.spectateToken },
  errors: ["SESSION_ENDED", "SPECTATORS_FULL"],
  services: ["sessions", "channelTokens"],
  handle: async ({ params, caller, ip }, { sessions, channelTokens }) =>
    channelTokens.issueSpectate(await sessions.find(params.slug, params.sessionId), {
      wallet: caller.wallet,
      familyId: caller.familyId,
      ip,
    }),
});
