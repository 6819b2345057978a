import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { SESSION_SOURCES } from "../../../../domain/session.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams, ownWallet } from "../../schemas/requests.ts";
import { startedSession } from "../../schemas/sessions.ts";

export const sessionsStart = defineRoute({
  name: "sessions.start",
  method: "POST",
  path: "/api/games/{slug}/sessions/start",
  summary: "Starts a session: agent_api for rewards, browser_ws to practice",
  access: "optional",
  limits: LIMITS.start,
  params: gameParams,
  body: z
    .strictObject({
      ...ownWallet,
      source: z.enum(SESSION_SOURCES),
      forfeitPending: z.boolean().default(false),
      lockstep: z.boolean().default(false).meta({
        description: "Practice only: the game makes a tick when a move arrives, or after 30 s without one",
      }),
    })
    .refine(({ source, lockstep }) => !lockstep || source === "browser_ws", {
      error: "lockstep: true needs source browser_ws; ranked play runs in real time",
      path: ["lockstep"],
    })
    .meta({
      anyOf: [{ properties: { lockstep: { const: false } } }, { properties: { source: { const: "browser_ws" } } }],
    }),
  response: startedSession,
  example: { request: { source: "agent_api" }, response: EXAMPLES.startedSession },
  errors: [
    "AUTH_REQUIRED",
    "IDENTITY_REQUIRED",
    "SNAPSHOT_REQUIRED",
    "NFT_MINT_REQUIRED",
    "SESSION_ACTIVE",
    "SESSION_ENDED",
  ],
  idempotent: true,
  replay: {
    toStored: (response) => ({ sessionId: (response as { sessionId: string }).sessionId }),
    fromStored: (stored, { params, caller }, { sessions }) =>
      sessions.rejoin(params.slug, (stored as { sessionId: string }).sessionId, caller),
  },
  services: ["sessions"],
  handle: ({ params, body, caller, ip }, { sessions }) =>
    sessions.start({
      slug: params.slug,
      ...body,
      ip,
      wallet: caller?.kind === "wallet" ? caller.wallet : null,
      familyId: caller?.kind === "wallet" ? caller.familyId : null,
    }),
});
