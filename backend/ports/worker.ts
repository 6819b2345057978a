import type { Replay } from "../domain/replay.ts";
import type { TypedData } from "../domain/typed-data.ts";

type Hex = `0x${string}`;

/** What a fresh run of a replay gave. `differences` is empty where all of it agrees. */
export interface ReplayVerdict {
  readonly ok: boolean;
  readonly finalScore: number;
  readonly ticks: number;
  readonly replayDigest: Hex;
  readonly differences: readonly { readonly field: string; readonly expected: string; readonly received: string }[];
}

/** Heavy work that must never run on the tick thread. */
export interface Worker {
  /** EIP-191 recovery of a text message. Null where the signature is malformed, not 65 bytes or not low-s. */
  recoverMessage(message: string, signature: Hex): Promise<`0x${string}` | null>;
  /** Recovery from an EIP-712 or other 32-byte digest; the same rules. */
  recoverDigest(digest: Hex, signature: Hex): Promise<`0x${string}` | null>;
  /** Recovery from one of our own EIP-712 messages; the same rules. Throws `VALIDATION_FAILED` naming a wrong field. */
  recoverTypedData(typedData: TypedData, signature: Hex): Promise<`0x${string}` | null>;
  verifyReplay(replay: Replay): Promise<ReplayVerdict>;
  close(): Promise<void>;
}
