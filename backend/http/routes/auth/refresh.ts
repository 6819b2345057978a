import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams } from "../../schemas/requests.ts";
import { text } from "../../schemas/values.ts";
import { signInTokens } from "./schemas.ts";

export const authRefresh = defineRoute({
  name: "auth.refresh",
  method: "POST",
  path: "/api/games/{slug}/auth/refresh",
  summary: "Exchanges a refresh token for new credentials; each refresh token is valid once",
  access: "public",
  limits: LIMITS.refresh,
  params: gameParams,
  body: z.strictObject({ refreshToken: text(1, 256) }),
  response: signInTokens,
  example: { request: { refreshToken: "ar_…" }, response: EXAMPLES.tokens },
  errors: ["TOKEN_INVALID", "TOKEN_EXPIRED", "REFRESH_REUSED"],
  services: ["auth"],
  handle: ({ body }, { auth }) => auth.refresh(body),
});
