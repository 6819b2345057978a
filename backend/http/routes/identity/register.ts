import { z } from "zod";
import { LIMITS } from "../../../domain/limits/limits.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { EXAMPLES, MINT_IDENTITY_CALL } from "../../examples.ts";
import { defineRoute } from "../../route.ts";
import { address, decimal, service, signedCall } from "../../schemas.ts";

export const identityRegister = defineRoute({
  name: "identity.register",
  method: "POST",
  path: "/api/identity/register",
  summary: "The signed mint of a wallet's agent identity",
  access: "public",
  limits: LIMITS.register,
  body: z.strictObject({
    walletAddress: address,
    agentName: plainText(1, 32),
    agentType: plainText(1, 32).optional(),
    description: plainText(0, 280).optional(),
    image: z
      .url({ protocol: /^(https|ipfs)$/ })
      .max(512)
      .optional(),
    services: z.array(service).max(8).optional(),
    hardwareResources: plainText(0, 128).optional(),
    chainId: z.int().positive().optional(),
    verifyingContract: address.optional(),
    nonce: decimal.optional(),
    deadline: decimal.optional(),
  }),
  response: signedCall.and(
    z.object({ tokenURI: z.string(), metadata: z.record(z.string(), z.unknown()), nonce: decimal }),
  ),
  example: {
    request: { walletAddress: EXAMPLES.wallet, agentName: "Pinch" },
    response: {
      ...MINT_IDENTITY_CALL,
      tokenURI: EXAMPLES.tokenUri,
      metadata: { name: "Pinch", description: "An agent of the arcade." },
      nonce: "0",
    },
  },
  errors: [
    "ALREADY_REGISTERED",
    "UNSUPPORTED_CHAIN",
    "CONTRACT_MISMATCH",
    "NONCE_MISMATCH",
    "DEADLINE_OUT_OF_RANGE",
    "CHAIN_UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
  ],
  services: ["identity"],
  handle: ({ body }, { identity }) => identity.register(body),
});
