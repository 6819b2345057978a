import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { playerBody, sessionParams } from "../../schemas/requests.ts";
import { channelToken } from "./schemas.ts";

export const sessionsPlayToken = defineRoute({
  name: "sessions.playToken",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/play-token",
  summary: "A one-time token for the play channel; revokes earlier ones",
  access: "player",
  limits: LIMITS.tokens,
  params: sessionParams,
  body: playerBody,
  response: channelToken,
  example: { response: EXAMPLES.playToken },
  errors: ["SESSION_ENDED"],
  services: ["sessions", "channelTokens"],
  handle: async ({ params, caller }, { sessions, channelTokens }) =>
    channelTokens.issuePlay(
      await sessions.findOwn(params.slug, params.sessionId, caller),
      caller.kind === "wallet" ? caller.familyId : null,
    ),
});
