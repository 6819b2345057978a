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

async function receiptLogs(publicClient: PublicClient, hash: Hex): Promise<readonly Log[]> {
  try {
    const receipt = await publicClient.getTransactionReceipt({ hash });
    return receipt.status === "success" ? receipt.logs : [];
  } catch (fault) {
    if ((fault as Error).name === "TransactionReceiptNotFoundError") return [];
    throw fault;
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

function pick(logs: readonly Log[], { rewards, gameSessionHash, wallet }: SnapshotEventQuery) {
  const hash = gameSessionHash.toLowerCase() as Hex;
  return parseEventLogs({ abi: [SNAPSHOT], logs: [...logs] }).find(({ address, args }) => {
    if (address.toLowerCase() !== rewards.toLowerCase()) return false;
    if (wallet === undefined) return args.gameSessionHash === hash;
    return args.wallet.toLowerCase() === wallet.toLowerCase() && sequenceOf(args.gameSessionHash) === sequenceOf(hash);
  });
}

/** The event of a `gameSessionHash`, null where the chain has none. Throws `ArcadeChainError` where the node fails. */
export async function findSnapshotEvent(
  publicClient: PublicClient,
  query: SnapshotEventQuery,
): Promise<SnapshotEvent | null> {
  try {
    const chainId = await publicClient.getChainId();
    // A wrong hint must not hide the event: then the chain is searched all the same.
    const hinted = query.txHash == null ? undefined : pick(await receiptLogs(publicClient, query.txHash), query);
    const log = hinted ?? pick(await searchLogs(publicClient, query), query);
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
