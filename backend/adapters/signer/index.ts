import type { Signer, SignerDuty, Signers } from "../../ports.ts";
import { parsePrivateKey } from "./keys.ts";
import { createLocalSigner } from "./local.ts";

export { parsePrivateKey } from "./keys.ts";
export { createLocalSigner } from "./local.ts";

/** One key for each duty: `0x…` or `@file`. */
export interface SignerKeys {
  readonly identity: string;
  readonly score: string;
  readonly nft: { readonly [slug: string]: string };
}

/**
 * One signer for each duty. Throws when a key cannot be read, and when two duties share one: a stolen key must never
 * be worth more than its own duty.
 */
export function createSigners(keys: SignerKeys): Signers {
  const signers = new Map<SignerDuty, Signer>();
  const add = (duty: SignerDuty, key: string): void => {
    const signer = createLocalSigner(parsePrivateKey(`The key of ${duty}`, key));
    const other = [...signers].find(([, known]) => known.address === signer.address);
    if (other !== undefined)
      throw new Error(`The keys of ${other[0]} and ${duty} are the same; each duty needs its own`);
    signers.set(duty, signer);
  };
  add("identity", keys.identity);
  add("score", keys.score);
  for (const [slug, key] of Object.entries(keys.nft)) add(`nft:${slug}`, key);

  return (duty) => {
    const signer = signers.get(duty);
    if (signer === undefined) throw new Error(`There is no signer for ${duty}`);
    return signer;
  };
}
