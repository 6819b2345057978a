import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { gameParams, ownWallet } from "../../schemas/requests.ts";

export const authSignOut = defineRoute({
  name: "auth.signOut",
  method: "POST",
  path: "/api/games/{slug}/auth/sign-out",
  summary:
    "Revokes the tokens of this sign-in and closes its channels; with `all: true`, those of all the wallet's sign-ins",
  access: "wallet",
  limits: LIMITS.walletRead,
  params: gameParams,
  body: z.strictObject({ ...ownWallet, all: z.boolean().default(false) }),
  response: z.object({
    signedOut: z.literal(true),
    /** The number of sign-ins that this call ended. */
    signIns: z.int(),
  }),
  example: { request: {}, response: { signedOut: true, signIns: 1 } },
  otherExamples: { everywhere: { request: { all: true }, response: { signedOut: true, signIns: 3 } } },
  services: ["auth"],
  handle: ({ body, caller }, { auth }) => auth.signOut(caller, body.all),
});
