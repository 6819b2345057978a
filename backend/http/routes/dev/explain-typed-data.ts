import { z } from "zod";
import { ArcadeError } from "../../../../domain/errors.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import type { AnyTypedData } from "../../../../domain/typed-data/explain.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { address, addressOut, hexBytes, hexOut, text } from "../../schemas/values.ts";

const fields = z.record(z.string(), z.unknown());
const typedData = z.strictObject({
  domain: z.strictObject({
    name: z.string().optional(),
    version: z.string().optional(),
    chainId: z.union([z.int().min(0), z.string().regex(/^\d{1,20}$/)]).optional(),
    verifyingContract: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .optional(),
    salt: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/)
      .optional(),
  }),
  types: z.record(text(0, 64), z.array(z.strictObject({ name: text(0, 64), type: text(0, 64) })).max(32)),
  primaryType: text(1, 64),
  message: fields,
});

const difference = z.object({ field: z.string(), expected: z.string(), received: z.string() });

const exampleData = {
  domain: { name: "RewardsV2", version: "1", chainId: EXAMPLES.chainId },
  types: { Snapshot: [{ name: "score", type: "uint256" }] },
  primaryType: "Snapshot",
  message: { score: String(EXAMPLES.score) },
};

export const devExplainTypedData = defineRoute({
  name: "dev.explainTypedData",
  method: "POST",
  path: "/api/dev/typed-data/explain",
  summary: "Finds the field that makes a signature recover to another address; only on chain 31337",
  access: "public",
  limits: LIMITS.signIn,
  body: z
    .strictObject({
      typedData: typedData.optional(),
      signature: hexBytes.optional(),
      expectedSigner: address.optional(),
      /** The complete response of the service with a prepared call. */
      response: z.looseObject({ typedData, signature: hexBytes }).optional(),
    })
    .refine(({ typedData: own, response }) => (own === undefined) !== (response === undefined), {
      error: "expected either typedData or response",
    })
    .refine(({ signature, response }) => signature !== undefined || response !== undefined, {
      error: "expected a signature",
    })
    .meta({
      anyOf: [{ required: ["typedData", "signature"] }, { required: ["response"] }],
      not: { required: ["typedData", "response"] },
    }),
  response: z.object({
    matches: z.boolean(),
    sentence: z.string(),
    primaryType: z.string(),
    domain: fields,
    typeString: z.string(),
    domainSeparator: hexOut,
    structHash: hexOut,
    digest: hexOut,
    recovered: addressOut.nullable(),
    signatureFault: z.string().nullable(),
    expectedSigners: z.array(addressOut),
    contract: addressOut.nullable(),
    chainDomain: z
      .object({ name: z.string(), version: z.string(), chainId: z.int(), verifyingContract: addressOut })
      .nullable(),
    differences: z.array(difference),
    signedInstead: z.object({ field: z.string(), given: z.string(), signed: z.string() }).nullable(),
  }),
  example: {
    request: { typedData: exampleData, signature: EXAMPLES.signature },
    response: {
      matches: false,
      sentence: "Another signer made the signature.",
      primaryType: "Snapshot",
      domain: exampleData.domain,
      typeString: "Snapshot(uint256 score)",
      domainSeparator: EXAMPLES.digest,
      structHash: EXAMPLES.digest,
      digest: EXAMPLES.digest,
      recovered: EXAMPLES.wallet,
      signatureFault: null,
      expectedSigners: [EXAMPLES.contract],
      contract: null,
      chainDomain: null,
      differences: [{ field: "domain.chainId", expected: "31337", received: "1" }],
      signedInstead: null,
    },
  },
  errors: ["NOT_FOUND", "CHAIN_UNAVAILABLE"],
  localOnly: true,
  services: ["explain"],
  handle: ({ body }, { explain }) => {
    if (explain === null) throw new ArcadeError("NOT_FOUND", "The explain tool exists only on the local chain.");
    const signature = body.signature ?? body.response!.signature;
    return explain.explain({
      typedData: (body.typedData ?? body.response!.typedData) as AnyTypedData,
      signature,
      ...(body.expectedSigner === undefined ? {} : { expectedSigner: body.expectedSigner }),
    });
  },
});
