import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { gameParams, startedSession } from "../../schemas.ts";

export const sessionsStart = defineRoute({
  name: "sessions.start",
  method: "POST",
  path: "/api/games/{slug}/sessions/start",
  summary: "Starts a session: agent_api for rewards, browser_ws to practise",
  access: "optional",
  limits: LIMITS.start,
  params: gameParams,
  body: z.strictObject({ source: z.enum(["agent_api", "browser_ws"]), forfeitPending: z.boolean().default(false) }),
  response: startedSession,
  errors: [
    "GAME_NOT_FOUND",
    "AUTH_REQUIRED",
    "IDENTITY_REQUIRED",
    "SNAPSHOT_REQUIRED",
    "NFT_MINT_REQUIRED",
    "SESSION_ACTIVE",
    "SESSION_ENDED",
    "CHAIN_UNAVAILABLE",
  ],
  creates: true,
  remember: (answer) => ({ sessionId: (answer as { sessionId: string }).sessionId }),
  recall: (stored, { params, caller }, { sessions }) =>
    sessions.rejoin(params.slug, (stored as { sessionId: string }).sessionId, caller),
  handle: ({ params, body, caller }, { sessions }) =>
    sessions.start({ slug: params.slug, ...body, wallet: caller?.kind === "wallet" ? caller.wallet : null }),
});
