import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { TRANSCRIPT_SECONDS } from "../../../../domain/replay/transcript.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { ownWallet, sessionParams } from "../../schemas/requests.ts";
import { hexBytes } from "../../schemas/values.ts";

export const sessionsTranscript = defineRoute({
  name: "sessions.transcript",
  method: "POST",
  path: "/api/games/{slug}/sessions/{sessionId}/transcript",
  summary: `Adds the wallet's signature to the replay of its ended session, within ${TRANSCRIPT_SECONDS / 60} minutes; verifications of the replay then report SIGNED_BY_PLAYER`,
  access: "wallet",
  limits: LIMITS.heartbeat,
  params: sessionParams,
  body: z.strictObject({
    ...ownWallet,
    signature: hexBytes.meta({ description: "Of `Transcript` (docs/signing.md)" }),
  }),
  response: z.object({ sessionId: z.string(), signed: z.literal(true) }),
  example: {
    request: { signature: EXAMPLES.signature },
    response: { sessionId: EXAMPLES.sessionId, signed: true },
  },
  errors: ["SESSION_NOT_ENDED", "SOURCE_NOT_ELIGIBLE", "SIGNATURE_INVALID", "DEADLINE_OUT_OF_RANGE"],
  services: ["replays"],
  handle: ({ params, caller, body }, { replays }) =>
    replays.sign(params.slug, params.sessionId, caller, body.signature),
});
