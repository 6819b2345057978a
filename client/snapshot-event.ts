/** Reads a score's event from the chain itself, without the service. */

import type { Address, Hex } from "viem";
import { type Log, type PublicClient, parseAbiItem, parseEventLogs } from "viem";
import { parseSequence } from "../domain/replay/replay.ts";
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
   * If given, finds the event by wallet and sequence (the hash's low 64 bits), and so also one with another hash under
   * the same sequence.
   */
  readonly wallet?: Address;
  /** The transaction that the service reports: its receipt is tried before a search. */
  readonly txHash?: Hex | null;
  /** The first block to search; public nodes do not search a whole chain. */
  readonly fromBlock?: bigint;
}

/** What the searches use of a public client: those of OP Stack chains have it too. */
type EventReader = Pick<PublicClient, "getChainId" | "getBlockNumber" | "getContractEvents" | "getTransactionReceipt">;

async function readReceiptLogs(publicClient: EventReader, hash: Hex): Promise<readonly Log[]> {
  try {
    const receipt = await publicClient.getTransactionReceipt({ hash });
    return receipt.status === "success" ? receipt.logs : [];
  } catch (error) {
    if ((error as Error).name === "TransactionReceiptNotFoundError") return [];
    throw error;
  }
}

const searchLogs = (publicClient: EventReader, query: SnapshotEventQuery): Promise<readonly Log[]> =>
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

/** Blocks per query; public nodes limit the range. */
const RANGE_BLOCKS = 10_000n;

/** The events of a rewards contract in a range of blocks, both ends included. Throws `ArcadeChainError`. */
export async function listSnapshotEvents(
  publicClient: EventReader,
  query: {
    readonly rewards: Address;
    readonly wallet?: Address;
    readonly gameId?: Hex;
    readonly fromBlock?: bigint;
    /** The latest block by default. */
    readonly toBlock?: bigint;
  },
): Promise<readonly SnapshotEvent[]> {
  const { rewards, wallet, gameId, fromBlock = 0n } = query;
  const args = { ...(wallet === undefined ? {} : { wallet }), ...(gameId === undefined ? {} : { gameId }) };
  try {
    const chainId = await publicClient.getChainId();
    const last = query.toBlock ?? (await publicClient.getBlockNumber());
    const events: SnapshotEvent[] = [];
    for (let from = fromBlock; from <= last; from += RANGE_BLOCKS) {
      const end = from + RANGE_BLOCKS - 1n;
      const range = { fromBlock: from, toBlock: end < last ? end : last };
      const filter = { address: rewards, abi: [SNAPSHOT], eventName: "ScoreSnapshot", strict: true, args } as const;
      const logs = await publicClient.getContractEvents({ ...filter, ...range });
      events.push(...logs.map((log) => toSnapshotEvent(log, chainId)));
    }
    return events;
  } catch (cause) {
    throw createChainError(cause);
  }
}

function toSnapshotEvent(log: NonNullable<ReturnType<typeof findLog>>, chainId: number): SnapshotEvent {
  const { wallet, gameId, gameSessionHash, score, scorebank } = log.args;
  return {
    chainId,
    rewards: log.address,
    wallet,
    gameId,
    gameSessionHash,
    score: score.toString(),
    scorebank: scorebank.toString(),
    txHash: log.transactionHash!,
    block: Number(log.blockNumber),
  };
}

function createChainError(cause: unknown): ArcadeChainError {
  // viem has the node's own sentence in `details`.
  const { message, details = "" } = cause as Error & { readonly details?: string };
  const text = [message.split("\n")[0], details].filter((part) => part !== "").join(" ");
  return new ArcadeChainError("RPC_FAULT", `The chain could not be read: ${text}`, { cause });
}

/** The event of a `gameSessionHash`; null if the chain has none. Throws `ArcadeChainError` if the node fails. */
export async function findSnapshotEvent(
  publicClient: EventReader,
  query: SnapshotEventQuery,
): Promise<SnapshotEvent | null> {
  try {
    const chainId = await publicClient.getChainId();
    // If the hint is wrong, search the chain as well.
    const hintedLog =
      query.txHash == null ? undefined : findLog(await readReceiptLogs(publicClient, query.txHash), query);
    const log = hintedLog ?? findLog(await searchLogs(publicClient, query), query);
    if (log === undefined) return null;
    return toSnapshotEvent(log, chainId);
  } catch (cause) {
    throw createChainError(cause);
  }
}
