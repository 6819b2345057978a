import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { channelToken, emptyBody, sessionParams } from "../../schemas.ts";

export const sessionsSpectateTokenPublic = defineRoute({
  name: "sessions.spectateTokenPublic",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/spectate-token-public",
  summary: "A token of the spectate channel for anybody, with a seat reserved",
  access: "public",
  limits: LIMITS.tokens,
  params: sessionParams,
  body: emptyBody,
  response: channelToken,
  errors: ["GAME_NOT_FOUND", "SESSION_NOT_FOUND", "SESSION_ENDED", "SPECTATORS_FULL"],
  handle: async ({ params, ip }, { sessions, channelTokens }) =>
    channelTokens.issueSpectate(await sessions.find(params.slug, params.sessionId), { wallet: null, ip }),
});
