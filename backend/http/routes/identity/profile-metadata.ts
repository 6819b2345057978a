import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { address, call, hexOut } from "../../schemas.ts";
import { profileFields } from "./profile-schemas.ts";

export const identityProfileMetadata = defineRoute({
  name: "identity.profileMetadata",
  method: "POST",
  path: "/api/identity/profile-metadata",
  summary: "Publishes the profile as a metadata document, and the call that points the identity to it",
  access: "wallet",
  identity: "cached",
  limits: LIMITS.prepare,
  body: z.strictObject({ walletAddress: address.optional(), ...profileFields }),
  response: z.object({
    metadata: z.record(z.string(), z.unknown()),
    tokenURI: z.string(),
    metadataDigest: hexOut,
    call,
  }),
  errors: ["IDENTITY_REQUIRED", "CHAIN_UNAVAILABLE"],
  handle: ({ body: { walletAddress: _, ...change }, caller }, { profiles }) => profiles.metadata(caller.wallet, change),
});
