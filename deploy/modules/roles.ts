import type { ArcadeParameters } from "./parameters.ts";

/** The first constructor argument of every contract with signed calls. */
export const createRoles = (parameters: ArcadeParameters, signer: `0x${string}`) => ({
  admin: parameters.admin,
  adminDelaySeconds: parameters.adminDelaySeconds,
  guardian: parameters.guardian,
  signer,
  signerIsContract: false,
  signerDelaySeconds: parameters.signerDelaySeconds,
});
