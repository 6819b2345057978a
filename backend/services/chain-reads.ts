/** Reads of the chain that several services share. */
import type { Hex } from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import { listScoreProblems, type ScoreProblem } from "../../domain/rewards.ts";
import { toFinality } from "../../domain/session.ts";
import type { AsOf, ChainIndex, ChainReader, Head } from "../ports/chain.ts";
import type { Receipt } from "../ports/receipts.ts";
import type { SessionRow } from "../ports/store/sessions.ts";

/**
 * The block that a value was read at, as responses show it. Without `head` it is the stored head: call this before
 * reading the values from the store. Throws `CHAIN_UNAVAILABLE` if the store has not reached the block.
 */
export function toAsOf(
  index: Pick<ChainIndex, "getStoredHead" | "getFinality">,
  head: Head | null = index.getStoredHead(),
): AsOf {
  if (head === null || head.number > (index.getStoredHead()?.number ?? -1))
    throw new ArcadeError("CHAIN_UNAVAILABLE", "The chain's events are still being read; try again in a few seconds.");
  return { block: head.number, hash: head.hash, finality: toFinality(head.number, index.getFinality()) };
}

/** Whether the store is known to hold the events of this block; true without a block. */
export const isStored = (index: Pick<ChainIndex, "getStoredHead">, block: number | null): boolean =>
  block === null || block <= (index.getStoredHead()?.number ?? -1);

/** Waits until the known chain data reaches this block. Throws `CHAIN_UNAVAILABLE` if it does not. */
export async function requireBlock(
  index: Pick<ChainIndex, "getStoredHead" | "waitForBlock">,
  block: number,
): Promise<void> {
  if (await index.waitForBlock(block)) return;
  const stored = index.getStoredHead()?.number ?? "none";
  throw new ArcadeError(
    "CHAIN_UNAVAILABLE",
    `Block ${block} is needed, but the last block stored by this server is ${stored}; try again in a second.`,
    { block },
  );
}

/** A successful receipt. Throws `TX_NOT_FOUND` (retryable) or `TX_FAILED`. */
export async function readSuccessfulReceipt(chain: Pick<ChainReader, "getReceipt">, txHash: Hex): Promise<Receipt> {
  const receipt = await chain.getReceipt(txHash);
  if (receipt === null) {
    const message = `Transaction ${txHash} is not in a block yet; try again when it is.`;
    throw new ArcadeError("TX_NOT_FOUND", message, { txHash });
  }
  const { status, block } = receipt;
  if (status === "success") return receipt;
  const message = `Transaction ${txHash} was reverted in block ${block}; prepare the call again.`;
  throw new ArcadeError("TX_FAILED", message, { txHash, block });
}

/** The result of a read, or the fallback if the chain does not answer. */
export async function readOrElse<Result, Fallback>(
  read: Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ArcadeError && error.code === "CHAIN_UNAVAILABLE") return fallback;
    throw error;
  }
}

/**
 * Why no snapshot of the session can be signed; reads the contract only if the stored facts show no reason.
 * Throws `CHAIN_UNAVAILABLE`.
 */
export async function readScoreProblems(
  chain: Pick<ChainReader, "isSessionConsumed">,
  row: SessionRow,
): Promise<readonly ScoreProblem[]> {
  const stored = listScoreProblems(row);
  if (stored.length > 0) return stored;
  return listScoreProblems(row, await chain.isSessionConsumed(row.wallet!, row.gameSessionHash!));
}
