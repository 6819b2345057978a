import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { typedData } from "../../schemas/calls.ts";
import { isoTime } from "../../schemas/values.ts";
import { ballotBody, ballotRequest, ballotTypedData } from "./schemas.ts";

export const votingNonce = defineRoute({
  name: "voting.nonce",
  method: "POST",
  path: "/api/voting/nonce",
  summary: "A one-time nonce and the complete ballot to sign (EIP-712)",
  access: "public",
  limits: LIMITS.signIn,
  body: z.strictObject(ballotBody),
  response: z.object({ nonce: z.string(), typedData, expiresAt: isoTime }),
  example: {
    request: ballotRequest,
    response: {
      nonce: EXAMPLES.nonce,
      typedData: ballotTypedData,
      expiresAt: EXAMPLES.hourLater,
    },
  },
  errors: ["GAME_NOT_FOUND", "VOTING_CLOSED"],
  services: ["voting"],
  handle: ({ body }, { voting }) => voting.createNonce(body),
});
