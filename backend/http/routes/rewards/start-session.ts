import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { ownWallet, slug } from "../../schemas/requests.ts";
import { snapshotView, startedSession } from "../../schemas/sessions.ts";
import { sessionIdText } from "../../schemas/values.ts";

export const rewardsStartSession = defineRoute({
  name: "rewards.startSession",
  method: "POST",
  path: "/api/rewards/start-session",
  summary: "Starts an agent session after all checks, or returns whether a session counts for rewards",
  access: "wallet",
  limits: LIMITS.start,
  body: z
    .strictObject({
      ...ownWallet,
      gameSlug: slug.optional(),
      sessionId: sessionIdText.optional(),
      forfeitPending: z.boolean().default(false),
    })
    .refine((body) => body.gameSlug !== undefined || body.sessionId !== undefined, {
      error: "expected gameSlug (to start) or sessionId (to look one up)",
    })
    .meta({ anyOf: [{ required: ["gameSlug"] }, { required: ["sessionId"] }] }),
  response: z.union([
    startedSession,
    z.object({ sessionId: z.string(), eligible: z.boolean(), reasons: z.array(z.string()), snapshot: snapshotView }),
  ]),
  example: { request: { gameSlug: EXAMPLES.slug }, response: EXAMPLES.startedSession },
  otherExamples: {
    state: {
      request: { sessionId: EXAMPLES.sessionId },
      response: {
        sessionId: EXAMPLES.sessionId,
        eligible: true,
        reasons: [],
        snapshot: EXAMPLES.endedSession.snapshot,
      },
    },
  },
  errors: [
    "IDENTITY_REQUIRED",
    "GAME_NOT_FOUND",
    "SNAPSHOT_REQUIRED",
    "NFT_MINT_REQUIRED",
    "SESSION_ACTIVE",
    "SESSION_ENDED",
    "SESSION_NOT_FOUND",
  ],
  idempotent: true,
  replay: {
    toStored: (response) => ({ sessionId: (response as { sessionId: string }).sessionId }),
    fromStored: async (stored, { body, caller }, { sessions, rewards, catalog }) => {
      const { sessionId } = stored as { sessionId: string };
      if (body.sessionId !== undefined || body.gameSlug === undefined)
        return rewards.getSessionState(caller.wallet, sessionId);
      return sessions.rejoin(catalog.resolveSlug(body.gameSlug), sessionId, caller);
    },
  },
  services: ["sessions", "rewards", "catalog", "identity"],
  handle: async ({ body, caller, ip }, { sessions, rewards, catalog, identity }) => {
    // A start checks the identity itself: after a long outage it works without the chain.
    if (body.sessionId !== undefined) {
      await identity.requireIdentity(caller.wallet);
      return rewards.getSessionState(caller.wallet, body.sessionId);
    }
    return sessions.start({
      slug: catalog.resolveSlug(body.gameSlug!),
      source: "agent_api",
      forfeitPending: body.forfeitPending,
      lockstep: false,
      wallet: caller.wallet,
      familyId: caller.familyId,
      ip,
    });
  },
});
