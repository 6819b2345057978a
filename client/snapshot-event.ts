/** Reads a score's event from the chain itself, without the service. */

import type { Address, Hex } from "viem";
import { type Log, type PublicClient, parseAbiItem, parseEventLogs } from "viem";
import { parseSequence } from "../backend/domain/replay/replay.ts";
import { ArcadeChainError } from "./errors.ts";

/** `ScoreSnapshot` of the rewards contract, and its block. */
export interface SnapshotEvent {
  readonly chainId: number;
  readonly rewards: Address;
  readonly wallet: Address;
  readonly gameId: Hex;
  readonly gameSessionHash: Hex;
  /** Decimal. */
  readonly score: string;
  /** The wallet's scorebank after it, decimal. */
  readonly scorebank: string;
  readonly txHash: Hex;
  readonly block: number;
}

const SNAPSHOT = parseAbiItem(
  "event ScoreSnapshot(address indexed wallet, bytes32 indexed gameId, bytes32 indexed gameSessionHash, uint256 score, uint256 scorebank)",
);

export interface SnapshotEventQuery {
  /** The rewards contract that must have emitted it. */
  readonly rewards: Address;
  readonly gameSessionHash: Hex;
  /**
   * With it the event is found by wallet and sequence (the hash's low 64 bits), so that another hash under the same
   * sequence is found as well.
   */
  readonly wallet?: Address;
  /** The transaction that the service names: its receipt is read before the chain is searched. */
  readonly txHash?: Hex | null;
  /** The first block of the search; public nodes do not search a whole chain. */
  readonly fromBlock?: bigint;
}

async function readReceiptLogs(publicClient: PublicClient, hash: Hex): Promise<readonly Log[]> {
  try {
    const receipt = await publicClient.getTransactionReceipt({ hash });
    return receipt.status === "success" ? receipt.logs : [];
  } catch (error) {
    if ((error as Error).name === "TransactionReceiptNotFoundError") return [];
    throw error;
  }
}

const searchLogs = (publicClient: PublicClient, query: SnapshotEventQuery): Promise<readonly Log[]> =>
  publicClient.getContractEvents({
    address: query.rewards,
    abi: [SNAPSHOT],
    eventName: "ScoreSnapshot",
    args: query.wallet === undefined ? { gameSessionHash: query.gameSessionHash } : { wallet: query.wallet },
    fromBlock: query.fromBlock ?? 0n,
  });

function findLog(logs: readonly Log[], { rewards, gameSessionHash, wallet }: SnapshotEventQuery) {
  const hash = gameSessionHash.toLowerCase() as Hex;
  return parseEventLogs({ abi: [SNAPSHOT], logs: [...logs] }).find(({ address, args }) => {
    if (address.toLowerCase() !== rewards.toLowerCase()) return false;
    if (wallet === undefined) return args.gameSessionHash === hash;
    return (
      args.wallet.toLowerCase() === wallet.toLowerCase() && parseSequence(args.gameSessionHash) === parseSequence(hash)
    );
  });
}

/** Wallet and hash of every score of a game on chain. Throws `ArcadeChainError` where the node fails. */
export async function listSnapshotEvents(
  publicClient: PublicClient,
  rewards: Address,
  gameId: Hex,
): Promise<readonly { readonly wallet: Address; readonly gameSessionHash: Hex }[]> {
  try {
    const query = { address: rewards, abi: [SNAPSHOT], eventName: "ScoreSnapshot", fromBlock: 0n } as const;
    const logs = await publicClient.getContractEvents({ ...query, args: { gameId }, strict: true });
    return logs.map(({ args: { wallet, gameSessionHash } }) => ({ wallet, gameSessionHash }));
  } catch (cause) {
    throw createChainError(cause);
  }
}

const createChainError = (cause: unknown): ArcadeChainError =>
  new ArcadeChainError("RPC_FAULT", `The chain could not be read: ${(cause as Error).message.split("\n")[0]}`, {
    cause,
  });

/** The event of a `gameSessionHash`, null where the chain has none. Throws `ArcadeChainError` where the node fails. */
export async function findSnapshotEvent(
  publicClient: PublicClient,
  query: SnapshotEventQuery,
): Promise<SnapshotEvent | null> {
  try {
    const chainId = await publicClient.getChainId();
    // The chain is searched too where the hint is wrong.
    const hintedLog =
      query.txHash == null ? undefined : findLog(await readReceiptLogs(publicClient, query.txHash), query);
    const log = hintedLog ?? findLog(await searchLogs(publicClient, query), query);
    if (log === undefined) return null;
    const { wallet, gameId, score, scorebank } = log.args;
    return {
      chainId,
      rewards: log.address,
      wallet,
      gameId,
      gameSessionHash: log.args.gameSessionHash,
      score: score.toString(),
      scorebank: scorebank.toString(),
      txHash: log.transactionHash!,
      block: Number(log.blockNumber),
    };
  } catch (cause) {
    throw createChainError(cause);
  }
}
