import { z } from "zod";
import { isoOf } from "../../../domain/time.ts";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { addressOut, decimal, gameParams, isoTime } from "../../schemas.ts";

export const authSession = defineRoute({
  name: "auth.session",
  method: "GET",
  path: "/api/games/{slug}/auth/session",
  summary: "Who the access token belongs to",
  access: "wallet",
  limits: LIMITS.walletRead,
  params: gameParams,
  response: z.object({
    authenticated: z.literal(true),
    walletAddress: addressOut,
    agentId: decimal.nullable(),
    slug: z.string(),
    accessExpiresAt: isoTime,
  }),
  errors: ["GAME_NOT_FOUND"],
  handle: async ({ caller }, { identity }) => ({
    authenticated: true as const,
    walletAddress: caller.wallet,
    agentId: await identity.agentIdOf(caller.wallet),
    slug: caller.slug,
    accessExpiresAt: isoOf(caller.accessExpiresAtMs),
  }),
});
