import { parsePrivateKey } from "../../domain/keys.ts";
import type { Signer, SignerRole, Signers } from "../../ports/system.ts";
import { createLocalSigner } from "./local.ts";

export { createLocalSigner } from "./local.ts";

/** The private key of each role: `0x` and 64 hex digits. */
export interface SignerKeys {
  readonly identity: string;
  readonly score: string;
  readonly nft: { readonly [slug: string]: string };
}

/**
 * Creates one signer for each role. Throws an Error when a key is malformed, and when two roles share one: a stolen key
 * must never sign for another role.
 */
export function createSigners(keys: SignerKeys): Signers {
  const signers = new Map<SignerRole, Signer>();
  const add = (role: SignerRole, key: string): void => {
    const signer = createLocalSigner(parsePrivateKey(`The key of ${role}`, key));
    const other = [...signers].find(([, existing]) => existing.address === signer.address);
    if (other !== undefined)
      throw new Error(`The keys of ${other[0]} and ${role} are the same; each role needs its own`);
    signers.set(role, signer);
  };
  add("identity", keys.identity);
  add("score", keys.score);
  for (const [slug, key] of Object.entries(keys.nft)) add(`nft:${slug}`, key);

  return (role) => {
    const signer = signers.get(role);
    if (signer === undefined) throw new Error(`There is no signer for ${role}`);
    return signer;
  };
}
