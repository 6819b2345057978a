import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { asOf } from "../../schemas/chain.ts";
import { address, addressOut, decimal } from "../../schemas/values.ts";

export const identityOwnershipStatus = defineRoute({
  name: "identity.ownershipStatus",
  method: "POST",
  path: "/api/agents/identity/ownership-status",
  summary: "Whether a wallet holds an agent identity",
  access: "public",
  limits: LIMITS.publicRead,
  body: z.strictObject({ walletAddress: address, agentId: decimal.optional() }),
  response: z.object({
    owned: z.boolean(),
    agentId: decimal.nullable(),
    owner: addressOut.nullable(),
    tokenURI: z.string().nullable(),
    registry: z.string(),
    asOf,
  }),
  example: {
    request: { walletAddress: EXAMPLES.wallet },
    response: {
      owned: true,
      agentId: "1",
      owner: EXAMPLES.wallet,
      tokenURI: EXAMPLES.tokenUri,
      registry: `eip155:${EXAMPLES.chainId}:${EXAMPLES.contract}`,
      asOf: EXAMPLES.asOf,
    },
  },
  errors: ["CHAIN_UNAVAILABLE"],
  services: ["identity"],
  handle: ({ body }, { identity }) => identity.getOwnershipStatus(body),
});
