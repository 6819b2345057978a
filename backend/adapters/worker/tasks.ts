/** What runs in a worker thread: signature recovery and replay verification. */
import type { Replay } from "../../domain/replay.ts";
import { verifyReplay as deriveAgain } from "../../domain/verify-replay.ts";
import type { GameList } from "../../games/index.ts";
import type { ReplayVerdict } from "../../ports/worker.ts";
import { hashMessage, recoverSigner } from "../signer/recover.ts";

type Hex = `0x${string}`;

const DIGEST = /^0x[0-9a-fA-F]{64}$/;

/** Null where the digest or the signature is malformed. */
export const recoverDigest = ({ digest, signature }: { digest: Hex; signature: Hex }): Hex | null =>
  DIGEST.test(digest) ? recoverSigner(Buffer.from(digest.slice(2), "hex"), signature) : null;

export const recoverMessage = ({ message, signature }: { message: string; signature: Hex }): Hex | null =>
  recoverSigner(hashMessage(message), signature);

/** `gamesUrl`: the module with the rules. */
export async function verifyReplay(task: { replay: Replay; gamesUrl: string }): Promise<ReplayVerdict> {
  const { rulesOf } = (await import(task.gamesUrl)) as Pick<GameList, "rulesOf">;
  return deriveAgain(task.replay, rulesOf);
}
