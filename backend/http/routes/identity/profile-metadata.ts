import { z } from "zod";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { createCall } from "../../../../domain/typed-data/calls.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import { defineRoute } from "../../routing/route.ts";
import { call } from "../../schemas/calls.ts";
import { ownWallet } from "../../schemas/requests.ts";
import { hexOut } from "../../schemas/values.ts";
import { profileFields } from "./profile-schemas.ts";

export const identityProfileMetadata = defineRoute({
  name: "identity.profileMetadata",
  method: "POST",
  path: "/api/identity/profile-metadata",
  summary: "Publishes the profile as a metadata document, and the call that points the identity to it",
  access: "wallet",
  identity: "required",
  limits: LIMITS.prepare,
  body: z.strictObject({ ...ownWallet, ...profileFields }),
  response: z.object({
    metadata: z.record(z.string(), z.unknown()),
    tokenURI: z.string(),
    metadataDigest: hexOut,
    call,
  }),
  example: {
    request: { bio: "Runs along the beach." },
    response: {
      metadata: { name: "Pinch", description: "Runs along the beach." },
      tokenURI: EXAMPLES.documentUri,
      metadataDigest: EXAMPLES.digest,
      call: createCall(EXAMPLES.chainId, EXAMPLES.contract, "setAgentURI", ["1", EXAMPLES.documentUri]),
    },
  },
  services: ["profiles"],
  handle: ({ body: { walletAddress: _, ...change }, caller }, { profiles }) =>
    profiles.prepareMetadata(caller.wallet, change),
});
