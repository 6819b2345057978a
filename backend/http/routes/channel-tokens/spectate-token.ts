import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { channelToken, emptyBody, sessionParams } from "../../schemas.ts";

export const sessionsSpectateToken = defineRoute({
  name: "sessions.spectateToken",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/spectate-token",
  summary: "A token of the spectate channel for a signed-in viewer, with a seat reserved",
  access: "wallet",
  limits: LIMITS.tokens,
  params: sessionParams,
  body: emptyBody,
  response: channelToken,
  errors: ["GAME_NOT_FOUND", "SESSION_NOT_FOUND", "SESSION_ENDED", "SPECTATORS_FULL"],
  handle: async ({ params, caller, ip }, { sessions, channelTokens }) =>
    channelTokens.issueSpectate(await sessions.find(params.slug, params.sessionId), { wallet: caller.wallet, ip }),
});
