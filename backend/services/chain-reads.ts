/** Reads of the chain that several services share. */
import type { Hex } from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import { listScoreProblems, type ScoreProblem } from "../../domain/rewards.ts";
import { toFinality } from "../../domain/session.ts";
import type { AsOf, ChainIndex, ChainReader } from "../ports/chain.ts";
import type { Receipt } from "../ports/receipts.ts";
import type { SessionRow } from "../ports/store/sessions.ts";

/**
 * The block that a value was read at, in the form of the responses; `head` absent: the indexer's, for values of the
 * store. Throws `CHAIN_UNAVAILABLE` while the indexer has seen no block yet.
 */
export function toAsOf(index: Pick<ChainIndex, "getHead" | "getFinality">, head = index.getHead()): AsOf {
  if (head === null)
    throw new ArcadeError("CHAIN_UNAVAILABLE", "The chain's node has not responded yet; try again in a few seconds.");
  return { block: head.number, hash: head.hash, finality: toFinality(head.number, index.getFinality()) };
}

/** A successful receipt. Throws `TX_NOT_FOUND` (retryable) or `TX_FAILED`. */
export async function readSuccessfulReceipt(chain: Pick<ChainReader, "getReceipt">, txHash: Hex): Promise<Receipt> {
  const receipt = await chain.getReceipt(txHash);
  if (receipt === null) {
    const message = `Transaction ${txHash} is in no block yet; try again when it is.`;
    throw new ArcadeError("TX_NOT_FOUND", message, { txHash });
  }
  const { status, block } = receipt;
  if (status === "success") return receipt;
  const message = `Transaction ${txHash} was reverted in block ${block}; prepare the call again.`;
  throw new ArcadeError("TX_FAILED", message, { txHash, block });
}

/** The result of a read, or the fallback where the chain does not answer. */
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
 * Why no snapshot of the session can be signed; the contract is asked only where the stored facts show no reason.
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
