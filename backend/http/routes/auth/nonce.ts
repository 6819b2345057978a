import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams } from "../../schemas/requests.ts";
import { address, isoTime } from "../../schemas/values.ts";

export const authNonce = defineRoute({
  name: "auth.nonce",
  method: "POST",
  path: "/api/games/{slug}/auth/nonce",
  summary: "A one-time nonce and the complete ERC-4361 message to sign",
  access: "public",
  limits: LIMITS.signIn,
  params: gameParams,
  body: z.strictObject({ walletAddress: address }),
  response: z.object({
    nonce: z.string(),
    message: z.string(),
    domain: z.string(),
    uri: z.string(),
    chainId: z.int(),
    issuedAt: isoTime,
    expiresAt: isoTime,
  }),
  example: {
    request: { walletAddress: EXAMPLES.wallet },
    response: {
      nonce: EXAMPLES.nonce,
      message: EXAMPLES.message,
      domain: "127.0.0.1:4100",
      uri: EXAMPLES.baseUrl,
      chainId: EXAMPLES.chainId,
      issuedAt: EXAMPLES.at,
      expiresAt: EXAMPLES.hourLater,
    },
  },
  services: ["auth"],
  handle: ({ params, body }, { auth }) => auth.createNonce({ slug: params.slug, walletAddress: body.walletAddress }),
});
