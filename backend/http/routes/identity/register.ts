import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { plainText } from "../../../../domain/plain-text.ts";
import { toRelayResponse } from "../../responses/relay-response.ts";
import { CONSENT_TO_MINT, EXAMPLES, MINT_IDENTITY_CALL } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { signedCall, typedData } from "../../schemas/calls.ts";
import { relayFields } from "../../schemas/chain.ts";
import { service } from "../../schemas/identity.ts";
import { sponsor } from "../../schemas/requests.ts";
import { address, decimal, hexBytes, url } from "../../schemas/values.ts";

const document = { tokenURI: z.string(), metadata: z.record(z.string(), z.unknown()), nonce: decimal };
const exampleDocument = {
  tokenURI: EXAMPLES.tokenUri,
  metadata: { name: "Pinch", description: "An agent of the arcade." },
  nonce: "0",
};

/** Signatures of contract wallets may be longer than 65 bytes. */
const CONSENT_CHARACTERS_MAX = 2 + 2 * 2048;

export const identityRegister = defineRoute({
  name: "identity.register",
  method: "POST",
  path: "/api/identity/register",
  summary: "The signed mint of a wallet's agent identity",
  access: "public",
  limits: LIMITS.register,
  body: z
    .strictObject({
      walletAddress: address,
      agentName: plainText(1, 32),
      agentType: plainText(1, 32).optional(),
      description: plainText(0, 280).optional(),
      image: url(["https", "ipfs"], 512).optional(),
      services: z.array(service).max(8).optional(),
      hardwareResources: plainText(0, 128).optional(),
      chainId: z.int().positive().optional(),
      verifyingContract: address.optional(),
      nonce: decimal.optional(),
      deadline: decimal.optional(),
      sponsor,
      consent: hexBytes
        .refine((text) => text.length <= CONSENT_CHARACTERS_MAX, { error: "expected at most 2,048 bytes" })
        .optional()
        .meta({
          maxLength: CONSENT_CHARACTERS_MAX,
          description: "The wallet's signature over `consent` (ConsentToMint) of the response without it",
        }),
    })
    .refine(
      (body) => body.consent === undefined || (body.sponsor && body.deadline !== undefined && body.nonce !== undefined),
      { error: "consent needs sponsor: true, and the deadline and nonce that it was signed with" },
    )
    .meta({
      dependentRequired: { consent: ["sponsor", "deadline", "nonce"] },
      anyOf: [{ not: { required: ["consent"] } }, { properties: { sponsor: { const: true } } }],
    }),
  response: z.union([
    signedCall.and(z.object({ mode: z.literal("consent"), ...document, consent: typedData })),
    z.object({ ...relayFields, ...document }),
    signedCall.and(z.object(document)),
  ]),
  example: {
    request: { walletAddress: EXAMPLES.wallet, agentName: "Pinch" },
    response: { ...MINT_IDENTITY_CALL, ...exampleDocument },
  },
  otherExamples: {
    consent: {
      request: { walletAddress: EXAMPLES.wallet, agentName: "Pinch", sponsor: true },
      response: { mode: "consent", ...MINT_IDENTITY_CALL, ...exampleDocument, consent: CONSENT_TO_MINT },
    },
    sponsored: {
      request: {
        walletAddress: EXAMPLES.wallet,
        agentName: "Pinch",
        sponsor: true,
        nonce: "0",
        deadline: EXAMPLES.deadline,
        consent: EXAMPLES.signature,
      },
      response: { ...EXAMPLES.relay, ...exampleDocument },
    },
  },
  statuses: [200, 202],
  errors: [
    "AUTH_REQUIRED",
    "SIGNATURE_INVALID",
    "TX_FAILED",
    "SPONSORSHIP_EXHAUSTED",
    "ALREADY_REGISTERED",
    "UNSUPPORTED_CHAIN",
    "CONTRACT_MISMATCH",
    "NONCE_MISMATCH",
    "DEADLINE_OUT_OF_RANGE",
    "CHAIN_UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
  ],
  services: ["identity", "sponsoredIdentity"],
  handle: async ({ body, ip }, { identity, sponsoredIdentity }) => {
    const { sponsor: isSponsored, consent, ...request } = body;
    if (!isSponsored) return identity.register(request);
    return toRelayResponse(await sponsoredIdentity.register(request, { ip, consent: consent ?? null }));
  },
});
