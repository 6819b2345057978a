/** What runs in a worker thread: signature recovery and replay verification. */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hashMessage, hexToBytes } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import type { Replay } from "../../domain/replay.ts";
import { verifyReplay as deriveAgain } from "../../domain/verify-replay.ts";
import type { GameList } from "../../games/index.ts";
import type { ReplayVerdict } from "../../ports/worker.ts";

type Hex = `0x${string}`;

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
const DIGEST = /^0x[0-9a-fA-F]{64}$/;

/** 0 or 1 out of v, which wallets write as 27 and 28 or as 0 and 1 (EIP-155 forms are for transactions alone). */
function recoveryBitOf(v: number): number | null {
  if (v === 27 || v === 28) return v - 27;
  return v === 0 || v === 1 ? v : null;
}

/** Null where the signature is malformed, not 65 bytes, not low-s (EIP-2), or of no key. */
export function recoverDigest({ digest, signature }: { digest: Hex; signature: Hex }): Hex | null {
  if (!SIGNATURE.test(signature) || !DIGEST.test(digest)) return null;
  const bytes = hexToBytes(signature);
  const bit = recoveryBitOf(bytes[64]!);
  if (bit === null) return null;
  try {
    const compact = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), "compact");
    if (compact.hasHighS()) return null;
    const point = compact.addRecoveryBit(bit).recoverPublicKey(hexToBytes(digest));
    return publicKeyToAddress(`0x${point.toHex(false)}`);
  } catch {
    // r or s outside the field, or r of no point.
    return null;
  }
}

export function recoverMessage({ message, signature }: { message: string; signature: Hex }): Hex | null {
  return recoverDigest({ digest: hashMessage(message), signature });
}

/** `gamesUrl`: the module with the rules. */
export async function verifyReplay(task: { replay: Replay; gamesUrl: string }): Promise<ReplayVerdict> {
  const { rulesOf } = (await import(task.gamesUrl)) as Pick<GameList, "rulesOf">;
  return deriveAgain(task.replay, rulesOf);
}
