import { LIMITS } from "../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../examples.ts";
import { defineRoute, HttpResponse } from "../../route.ts";
import { sessionParams } from "../../schemas.ts";
import { replay } from "./schemas.ts";

export const sessionsReplay = defineRoute({
  name: "sessions.replay",
  method: "GET",
  path: "/api/games/{slug}/sessions/{sessionId}/replay",
  summary: "The replay of an ended agent session, from which anyone can derive its score",
  access: "public",
  limits: LIMITS.publicRead,
  params: sessionParams,
  response: replay,
  example: {
    response: {
      v: 1,
      slug: EXAMPLES.slug,
      rulesVersion: 1,
      tickHz: 15,
      seed: EXAMPLES.digest,
      inputs: [[12, 1]],
      ticks: 900,
      finalScore: EXAMPLES.score,
      endReason: "lives_lost",
      stateDigests: [EXAMPLES.digest],
      sessionId: EXAMPLES.sessionId,
      wallet: EXAMPLES.wallet,
      chainId: EXAMPLES.chainId,
      rewards: EXAMPLES.contract,
      sequence: "1",
    },
  },
  errors: ["SESSION_NOT_ENDED", "SOURCE_NOT_ELIGIBLE"],
  plain: true,
  services: ["sessions"],
  handle: async ({ params }, { sessions }) => {
    const { replay, digest } = await sessions.getReplay(params.slug, params.sessionId);
    return new HttpResponse(200, JSON.stringify(replay), {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=31536000, immutable",
      "Content-Disposition": `attachment; filename="${params.slug}-${params.sessionId}.json"`,
      ...(digest === null ? {} : { ETag: `"${digest}"` }),
    });
  },
});
