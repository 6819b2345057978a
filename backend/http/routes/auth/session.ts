import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { toIso } from "../../../../domain/time.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams } from "../../schemas/requests.ts";
import { addressOut, decimal, isoTime } from "../../schemas/values.ts";

export const authSession = defineRoute({
  name: "auth.session",
  method: "GET",
  path: "/api/games/{slug}/auth/session",
  summary: "The wallet and identity behind the access token",
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
  example: {
    response: {
      authenticated: true,
      walletAddress: EXAMPLES.wallet,
      agentId: "1",
      slug: EXAMPLES.slug,
      accessExpiresAt: EXAMPLES.hourLater,
    },
  },
  services: ["identity"],
  handle: async ({ caller }, { identity }) => ({
    authenticated: true as const,
    walletAddress: caller.wallet,
    agentId: await identity.findAgentId(caller.wallet),
    slug: caller.slug,
    accessExpiresAt: toIso(caller.accessExpiresAtMs),
  }),
});
