/** Finds a session's event on chain where it stands for another wallet than the replay says. */
import type { Hex, PublicClient } from "viem";
import { computeGameSessionHash, parseSequence, toGameId } from "../../backend/domain/replay/replay.ts";
import type { Replay } from "../../client/api.ts";
import { findSnapshotEvent, listSnapshotEvents, type SnapshotEvent } from "../../client/snapshot-event.ts";

/**
 * The event whose `gameSessionHash` is that of the replay under the event's own wallet; null where there is none.
 * Throws `ArcadeChainError` where the node fails.
 */
export async function findEventOfOtherWallet(
  publicClient: PublicClient,
  replay: Replay,
  replayDigest: Hex,
): Promise<SnapshotEvent | null> {
  const sequence = BigInt(replay.sequence);
  const { rewards } = replay;
  for (const { wallet, gameSessionHash } of await listSnapshotEvents(publicClient, rewards, toGameId(replay.slug))) {
    if (parseSequence(gameSessionHash) !== sequence) continue;
    if (computeGameSessionHash({ ...replay, wallet, replayDigest, sequence }) !== gameSessionHash) continue;
    return findSnapshotEvent(publicClient, { rewards, wallet, gameSessionHash });
  }
  return null;
}
