import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams } from "../../schemas/requests.ts";
import { hexBytes, text } from "../../schemas/values.ts";
import { signInTokens } from "./schemas.ts";

export const authVerify = defineRoute({
  name: "auth.verify",
  method: "POST",
  path: "/api/games/{slug}/auth/verify",
  summary: "Checks the signed message and opens a sign-in",
  access: "public",
  limits: LIMITS.signIn,
  params: gameParams,
  body: z.strictObject({ message: text(1, 8192), signature: hexBytes }),
  response: signInTokens,
  example: {
    request: { message: EXAMPLES.message, signature: EXAMPLES.signature },
    response: EXAMPLES.tokens,
  },
  errors: ["NONCE_INVALID", "NONCE_EXPIRED", "NONCE_USED", "SIGNATURE_INVALID", "MESSAGE_MISMATCH", "MESSAGE_EXPIRED"],
  repeatable: false,
  services: ["auth"],
  handle: ({ params, body }, { auth }) => auth.verify({ slug: params.slug, ...body }),
});
