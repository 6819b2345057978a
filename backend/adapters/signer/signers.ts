import { type KeySource, parsePrivateKey } from "../../../domain/keys.ts";
import type { Clock, Signer, SignerRole, Signers } from "../../ports/system.ts";
import { systemClock } from "../system/clock.ts";
import { createLocalSigner } from "./local.ts";
import { createRemoteSigner } from "./remote-signer.ts";

export { createLocalSigner } from "./local.ts";

/** The key of each role. */
export interface SignerKeys {
  readonly identity: KeySource;
  readonly score: KeySource;
  readonly nft: { readonly [slug: string]: KeySource };
}

/**
 * Creates one signer for each role. Throws if a key is malformed, or if two roles share one: a stolen key must never
 * sign for another role.
 */
export function createSigners(keys: SignerKeys, clock: Clock = systemClock): Signers {
  const signers = new Map<SignerRole, Signer>();
  const add = (role: SignerRole, key: KeySource): void => {
    const signer = createSigner(role, key, clock);
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

const createSigner = (role: SignerRole, key: KeySource, clock: Clock): Signer =>
  typeof key === "string"
    ? createLocalSigner(parsePrivateKey(`The key of ${role}`, key))
    : createRemoteSigner(key, clock);

/** Signers whose keys can be replaced while the service runs. */
export class SignerSet {
  readonly #clock: Clock;
  #signers: Signers;

  /** Throws as `createSigners` does. */
  constructor(keys: SignerKeys, clock: Clock) {
    this.#clock = clock;
    this.#signers = createSigners(keys, clock);
  }

  readonly get: Signers = (role) => this.#signers(role);

  /** Signatures in progress keep their key. Throws as `createSigners` does, and then changes nothing. */
  exchange(keys: SignerKeys): void {
    this.#signers = createSigners(keys, this.#clock);
  }
}
