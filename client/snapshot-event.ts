/** Reads a score's event from the chain itself, without the service. */
import { type Log, type PublicClient, parseAbiItem, parseEventLogs } from "viem";
import { sequenceOf } from "../backend/domain/replay.ts";
import { ArcadeChainError } from "./errors.ts";
import type { Address, Hex } from "./types.ts";

/** `ScoreSnapshot` of the rewards contract, and where it stands. */
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
  /** The rewards contract that must have said it. */
  readonly rewards: Address;
  readonly gameSessionHash: Hex;
  /**
   * With it the event is found by wallet and sequence (the hash's low 64 bits), so that another hash under the same
   * sequence comes to light as well.
   */
  readonly wallet?: Address;
  /** Where the service says it is: its receipt is read instead of searching. */
  readonly txHash?: Hex | null;
  /** Where a search begins; public nodes refuse to search a whole chain. */
  readonly fromBlock?: bigint;
}

async function logsOf(publicClient: PublicClient, query: SnapshotEventQuery): Promise<readonly Log[]> {
  const { rewards: address, gameSessionHash, wallet, txHash, fromBlock } = query;
  if (txHash != null) {
    const receipt = await publicClient.getTransactionReceipt({ hash: txHash }).catch((fault: unknown) => {
      if ((fault as Error)?.name === "TransactionReceiptNotFoundError") return null;
      throw fault;
    });
    if (receipt?.status === "success") return receipt.logs;
  }
  return publicClient.getContractEvents({
    address,
    abi: [SNAPSHOT],
    eventName: "ScoreSnapshot",
    args: wallet === undefined ? { gameSessionHash } : { wallet },
    fromBlock: fromBlock ?? 0n,
  });
}

/** The event of a `gameSessionHash`, null where the chain has none. Throws `ArcadeChainError` where the node fails. */
export async function findSnapshotEvent(
  publicClient: PublicClient,
  query: SnapshotEventQuery,
): Promise<SnapshotEvent | null> {
  const { rewards, gameSessionHash, wallet: owner } = query;
  const isSame = (args: { readonly wallet: Address; readonly gameSessionHash: Hex }): boolean =>
    owner === undefined
      ? args.gameSessionHash === gameSessionHash.toLowerCase()
      : args.wallet.toLowerCase() === owner.toLowerCase() &&
        sequenceOf(args.gameSessionHash) === sequenceOf(gameSessionHash);
  try {
    const chainId = await publicClient.getChainId();
    const logs = parseEventLogs({ abi: [SNAPSHOT], logs: [...(await logsOf(publicClient, query))] });
    const log = logs.find(({ address, args }) => address.toLowerCase() === rewards.toLowerCase() && isSame(args));
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
    throw new ArcadeChainError("RPC_FAULT", `The chain could not be read: ${(cause as Error).message.split("\n")[0]}`, {
      cause,
    });
  }
}
