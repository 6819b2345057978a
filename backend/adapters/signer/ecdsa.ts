/**
 * ECDSA over secp256k1 by Bitcoin Core's C library, in two builds: a native addon if the platform has a prebuilt one,
 * and WebAssembly elsewhere. Both are constant time in the private key, use nonces of RFC 6979 and return a low s, so
 * that they produce the same bytes. Their contexts are blinded by a random seed against side channels.
 */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";

/** Keys and digests have 32 bytes, `compact` signatures 64 (r and s), public keys 65 (uncompressed). Null: rejected. */
export interface Ecdsa {
  readonly build: "native" | "wasm";
  getPublicKey(privateKey: Uint8Array): Uint8Array | null;
  sign(
    digest: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly compact: Uint8Array; readonly recoveryId: number } | null;
  recover(digest: Uint8Array, compact: Uint8Array, recoveryId: 0 | 1): Uint8Array | null;
}

/** The part of npm's `secp256k1` in use; its functions throw on invalid values. */
interface Addon {
  contextRandomize(seed: Uint8Array): void;
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { readonly signature: Uint8Array; readonly recid: number };
  ecdsaRecover(compact: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: boolean): Uint8Array;
}

function tryOrNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** Null if there is no addon for this machine. Never loads the package's JavaScript fallback. */
export function loadNative(): Ecdsa | null {
  const addon = tryOrNull(() => createRequire(import.meta.url)("secp256k1/bindings.js") as Addon);
  if (addon === null) return null;
  addon.contextRandomize(randomBytes(32));
  return {
    build: "native",
    getPublicKey: (privateKey) => tryOrNull(() => addon.publicKeyCreate(privateKey, false)),
    sign: (digest, privateKey) =>
      tryOrNull(() => {
        const { signature, recid } = addon.ecdsaSign(digest, privateKey);
        return { compact: signature, recoveryId: recid };
      }),
    recover: (digest, compact, recoveryId) => tryOrNull(() => addon.ecdsaRecover(compact, recoveryId, digest, false)),
  };
}

/** The library returns errors as text, and wipes its copy of the key after each use. */
export async function loadWasm(): Promise<Ecdsa> {
  const library = await instantiateSecp256k1(randomBytes(32));
  const toBytes = (result: Uint8Array | string): Uint8Array | null => (typeof result === "string" ? null : result);
  return {
    build: "wasm",
    getPublicKey: (privateKey) => toBytes(library.derivePublicKeyUncompressed(privateKey)),
    sign: (digest, privateKey) => {
      const signed = library.signMessageHashRecoverableCompact(privateKey, digest);
      return typeof signed === "string" ? null : { compact: signed.signature, recoveryId: signed.recoveryId };
    },
    recover: (digest, compact, recoveryId) =>
      toBytes(library.recoverPublicKeyUncompressed(compact, recoveryId, digest)),
  };
}

/** The faster build that loads: 30 us per signature in native code, 67 us in WebAssembly. */
export const ecdsa: Ecdsa = loadNative() ?? (await loadWasm());
