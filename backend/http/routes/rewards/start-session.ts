import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { sessionIdText, slug, snapshotView, startedSession } from "../../schemas.ts";

export const rewardsStartSession = defineRoute({
  name: "rewards.startSession",
  method: "POST",
  path: "/api/rewards/start-session",
  summary: "Opens an agent session through all gates, or tells where a session stands with rewards",
  access: "wallet",
  identity: "cached",
  limits: LIMITS.start,
  body: z
    .strictObject({
      gameSlug: slug.optional(),
      sessionId: sessionIdText.optional(),
      forfeitPending: z.boolean().default(false),
    })
    .refine((body) => body.gameSlug !== undefined || body.sessionId !== undefined, {
      error: "expected gameSlug (to start) or sessionId (to look one up)",
    }),
  exampleBody: { gameSlug: "shellrunners" },
  response: z.union([
    startedSession,
    z.object({ sessionId: z.string(), eligible: z.boolean(), reasons: z.array(z.string()), snapshot: snapshotView }),
  ]),
  errors: [
    "GAME_NOT_FOUND",
    "IDENTITY_REQUIRED",
    "SNAPSHOT_REQUIRED",
    "NFT_MINT_REQUIRED",
    "SESSION_ACTIVE",
    "SESSION_ENDED",
    "SESSION_NOT_FOUND",
    "CHAIN_UNAVAILABLE",
  ],
  creates: true,
  remember: (answer) => ({ sessionId: (answer as { sessionId: string }).sessionId }),
  recall: async (stored, { body, caller }, { sessions, rewards, catalog }) => {
    const { sessionId } = stored as { sessionId: string };
    if (body.sessionId !== undefined || body.gameSlug === undefined)
      return rewards.sessionState(caller.wallet, sessionId);
    return sessions.rejoin(catalog.resolveSlug(body.gameSlug), sessionId, caller);
  },
  handle: async ({ body, caller }, { sessions, rewards, catalog }) => {
    if (body.sessionId !== undefined) return rewards.sessionState(caller.wallet, body.sessionId);
    return sessions.start({
      slug: catalog.resolveSlug(body.gameSlug!),
      source: "agent_api",
      forfeitPending: body.forfeitPending,
      wallet: caller.wallet,
    });
  },
});
