import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { sessionParams } from "../../schemas/requests.ts";
import { createReplayResponse, REPLAY_EXAMPLE, replay } from "./replay-response.ts";

export const sessionsReplay = defineRoute({
  name: "sessions.replay",
  method: "GET",
  path: "/api/games/{slug}/sessions/{sessionId}/replay",
  summary: "The replay of an ended agent session; anyone can recompute the score from it",
  access: "public",
  limits: LIMITS.publicRead,
  params: sessionParams,
  response: replay,
  example: { response: REPLAY_EXAMPLE },
  errors: ["SESSION_NOT_ENDED", "SOURCE_NOT_ELIGIBLE"],
  plain: true,
  services: ["replays"],
  handle: async ({ params }, { replays }) => createReplayResponse(await replays.get(params.slug, params.sessionId)),
});
