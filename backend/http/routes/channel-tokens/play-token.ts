import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { channelToken, emptyBody, sessionParams } from "../../schemas.ts";

export const sessionsPlayToken = defineRoute({
  name: "sessions.playToken",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/play-token",
  summary: "A one-time token of the play channel; revokes the earlier ones",
  access: "player",
  limits: LIMITS.tokens,
  params: sessionParams,
  body: emptyBody,
  response: channelToken,
  errors: ["GAME_NOT_FOUND", "SESSION_NOT_FOUND", "SESSION_ENDED"],
  handle: async ({ params, caller }, { sessions, channelTokens }) =>
    channelTokens.issuePlay(await sessions.findOwn(params.slug, params.sessionId, caller)),
});
