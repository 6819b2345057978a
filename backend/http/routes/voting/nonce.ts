import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { isoTime, typedData } from "../../schemas.ts";
import { ballotBody } from "./schemas.ts";

export const votingNonce = defineRoute({
  name: "voting.nonce",
  method: "POST",
  path: "/api/voting/nonce",
  summary: "A one-time nonce and the complete ballot to sign (EIP-712)",
  access: "public",
  limits: LIMITS.signIn,
  body: z.strictObject(ballotBody),
  response: z.object({ nonce: z.string(), typedData, expiresAt: isoTime }),
  errors: ["GAME_NOT_FOUND", "VOTING_CLOSED"],
  handle: ({ body }, { voting }) => voting.nonce(body),
});
