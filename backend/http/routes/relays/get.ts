import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { relayFields } from "../../schemas/chain.ts";
import { pathTexts } from "../../schemas/values.ts";

export const relaysGet = defineRoute({
  name: "relays.get",
  method: "GET",
  path: "/api/relays/{relayId}",
  summary: "The status of a transaction that the operator sends for the wallet",
  access: "wallet",
  limits: LIMITS.walletRead,
  params: z.strictObject({ relayId: pathTexts.id }),
  response: z.object(relayFields).meta({ id: "Relay" }),
  example: { response: EXAMPLES.relay },
  errors: ["NOT_FOUND"],
  services: ["relays"],
  handle: ({ params, caller }, { relays }) => relays.get(caller.wallet, params.relayId),
});
