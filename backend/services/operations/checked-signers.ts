import type { Signers } from "../../ports/system.ts";
import type { SignerCheck } from "./signer-check.ts";

/** Signers that sign only while the contract accepts them; else `SIGNER_UNAVAILABLE` or `CHAIN_UNAVAILABLE`. */
export const checkSigners =
  (signers: Signers, check: Pick<SignerCheck, "requireAccepted">): Signers =>
  (role) => {
    const signer = signers(role);
    return {
      address: signer.address,
      sign: async (typedData) => {
        await check.requireAccepted(role);
        return signer.sign(typedData);
      },
    };
  };
