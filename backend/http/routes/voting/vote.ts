import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { hexBytes, text } from "../../schemas/values.ts";
import { ballotBody, ballotRequest, counts } from "./schemas.ts";

export const votingVote = defineRoute({
  name: "voting.vote",
  method: "POST",
  path: "/api/voting/vote",
  summary: "Casts a signed ballot: one vote per wallet and game",
  access: "public",
  limits: LIMITS.vote,
  body: z.strictObject({ ...ballotBody, nonce: text(1, 64), signature: hexBytes }),
  response: z.object({ recorded: z.literal(true), ...counts }),
  example: {
    request: { ...ballotRequest, nonce: EXAMPLES.nonce, signature: EXAMPLES.signature },
    response: { recorded: true, ...EXAMPLES.voteCounts },
  },
  errors: [
    "NONCE_INVALID",
    "NONCE_EXPIRED",
    "NONCE_USED",
    "SIGNATURE_INVALID",
    "VOTE_NOT_ELIGIBLE",
    "GAME_NOT_FOUND",
    "ALREADY_VOTED",
    "VOTING_CLOSED",
    "CHAIN_UNAVAILABLE",
  ],
  idempotent: true,
  services: ["voting"],
  handle: ({ body }, { voting }) => voting.vote(body),
});
