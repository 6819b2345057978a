/** Snapshot and NFT in one call, for wallets that can send several calls at once (EIP-5792). */
import type { Hex, NftReason } from "./api.ts";
import { checkCall } from "./check-call.ts";
import { isApiError } from "./errors.ts";
import { expectSnapshot, type FlowOptions, getWallet } from "./flows.ts";
import { expectNftCall } from "./nft-call.ts";
import type { PreparedCall } from "./wallet.ts";

export interface BatchedResult {
  readonly sessionId: string;
  readonly gameSlug: string;
  readonly scoreDelta: number;
  readonly snapshotTxHash: Hex | null;
  /** Null if the score changes nothing; `reason` explains why. */
  readonly nft: {
    readonly action: "mint" | "upgrade";
    readonly tokenId: string;
    readonly tier: number;
    readonly txHash: Hex;
  } | null;
  readonly reason: NftReason | null;
}

/**
 * Puts the oldest pending score on chain, and mints or upgrades its game's NFT in the same call. Null if no score is
 * pending. Throws the errors of the service and the wallet; nothing is on chain then.
 */
export async function snapshotAndMint(options: FlowOptions): Promise<BatchedResult | null> {
  const { client } = options;
  const { address, sendCalls } = getWallet(options);
  if (sendCalls === undefined)
    throw new TypeError("This flow needs a wallet that can send several calls at once (EIP-5792)");
  const snapshot = await client.rewards.snapshot({}).catch((error: unknown) => {
    if (isApiError(error, "NOTHING_TO_SNAPSHOT")) return null;
    throw error;
  });
  if (snapshot === null) return null;
  const { sessionId, gameSlug: slug, scoreDelta } = snapshot;
  const isWaiting = snapshot.mode === "sign";
  const prepared = await client.nft.prepare({ slug, sessionId, withSnapshot: isWaiting });
  const calls: PreparedCall[] = [];
  if (isWaiting) {
    checkCall(snapshot.call, await expectSnapshot(options, snapshot));
    calls.push(snapshot);
  }
  if (prepared.action !== "none") {
    checkCall(prepared.call, await expectNftCall(client, slug, { ...prepared, wallet: address }));
    calls.push(prepared);
  }
  const hashes = calls.length === 0 ? [] : await sendCalls(calls);
  const snapshotTxHash = isWaiting ? hashes[0]! : snapshot.txHash;
  if (isWaiting) await client.rewards.snapshot({ sessionId, txHash: hashes[0]! });
  if (prepared.action === "none")
    return { sessionId, gameSlug: slug, scoreDelta, snapshotTxHash, nft: null, reason: prepared.reason };
  const txHash = hashes.at(-1)!;
  const { action, tokenId, tier } = await client.nft.record({ slug, txHash });
  return {
    sessionId,
    gameSlug: slug,
    scoreDelta,
    snapshotTxHash,
    nft: { action, tokenId, tier, txHash },
    reason: null,
  };
}
