/** The tasks of a worker thread: signature recovery and replay verification. */
import type { Hex } from "viem";
import type { Replay } from "../../../domain/replay/replay.ts";
import { verifyReplay as runVerification } from "../../../domain/replay/verify.ts";
import type { GameList } from "../../../games/index.ts";
import type { ReplayVerification } from "../../ports/system.ts";
import { hashMessage, recoverSigner } from "../signer/recover.ts";

const DIGEST_PATTERN = /^0x[0-9a-fA-F]{64}$/;

/** Null when the digest or the signature is malformed. */
export const recoverDigest = ({ digest, signature }: { digest: Hex; signature: Hex }): Hex | null =>
  DIGEST_PATTERN.test(digest) ? recoverSigner(Buffer.from(digest.slice(2), "hex"), signature) : null;

export const recoverMessage = ({ message, signature }: { message: string; signature: Hex }): Hex | null =>
  recoverSigner(hashMessage(message), signature);

/** `gamesUrl`: the module with the rules. */
export async function verifyReplay(task: { replay: Replay; gamesUrl: string }): Promise<ReplayVerification> {
  const { getRules } = (await import(task.gamesUrl)) as Pick<GameList, "getRules">;
  return runVerification(task.replay, getRules);
}
