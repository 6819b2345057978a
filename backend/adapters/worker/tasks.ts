/** What runs in a worker thread: signature recovery and replay verification. */
import type { Replay } from "../../domain/replay.ts";
import { verifyReplay as deriveAgain } from "../../domain/verify-replay.ts";
import type { GameList } from "../../games/index.ts";
import type { ReplayVerdict } from "../../ports/worker.ts";
import { keccak256 } from "../signer/keccak.ts";
import { recoverAddress } from "../signer/secp256k1.ts";

type Hex = `0x${string}`;

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
const DIGEST = /^0x[0-9a-fA-F]{64}$/;

/** 0 or 1 out of v, which wallets write as 27 and 28 or as 0 and 1 (EIP-155 forms are for transactions alone). */
function recoveryIdOf(v: number): 0 | 1 | null {
  const id = v >= 27 ? v - 27 : v;
  return id === 0 || id === 1 ? id : null;
}

function recover(digest: Uint8Array, signature: Hex): Hex | null {
  if (!SIGNATURE.test(signature)) return null;
  const bytes = Buffer.from(signature.slice(2), "hex");
  const recoveryId = recoveryIdOf(bytes[64]!);
  return recoveryId === null ? null : recoverAddress(digest, bytes.subarray(0, 64), recoveryId);
}

/** Null where the signature is malformed, not 65 bytes, not low-s (EIP-2), or of no key. */
export function recoverDigest({ digest, signature }: { digest: Hex; signature: Hex }): Hex | null {
  return DIGEST.test(digest) ? recover(Buffer.from(digest.slice(2), "hex"), signature) : null;
}

/** EIP-191, version 0x45: the text as UTF-8 behind its length in bytes. The same rules. */
export function recoverMessage({ message, signature }: { message: string; signature: Hex }): Hex | null {
  const text = Buffer.from(message, "utf8");
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`, "latin1");
  return recover(keccak256(Buffer.concat([prefix, text])), signature);
}

/** `gamesUrl`: the module with the rules. */
export async function verifyReplay(task: { replay: Replay; gamesUrl: string }): Promise<ReplayVerdict> {
  const { rulesOf } = (await import(task.gamesUrl)) as Pick<GameList, "rulesOf">;
  return deriveAgain(task.replay, rulesOf);
}
