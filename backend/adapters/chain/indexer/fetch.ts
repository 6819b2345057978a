import type { Block, Log, PublicClient } from "viem";
import type { Deployment, Head } from "../../../ports/chain.ts";
import type { BlockRef, ChainEventRow } from "../../../ports/store/chain.ts";
import { decodeLog, getIndexedAddresses, toEventRow } from "../events.ts";
import { isInBloom } from "./bloom.ts";

export type Header = Pick<Block, "hash" | "parentHash" | "timestamp" | "logsBloom" | "transactions"> & {
  readonly hash: `0x${string}`;
};

/** The head with its whole header, so that it need not be read again. */
export type LatestBlock = Head & { readonly header: Header };

export type MinedLog = Log<bigint, number, false>;

/** A range of blocks that belongs to one version of the chain. */
export interface BlockRange {
  /** In rising order; the last block of the range is always among them. */
  readonly blocks: readonly BlockRef[];
  readonly events: readonly ChainEventRow[];
}

/** Where a range begins: after a stored block, or at the deployment's first block. */
export interface RangeStart {
  readonly from: number;
  readonly parent: BlockRef | null;
}

export const readHeader = (client: PublicClient, number: number): Promise<Header> =>
  client.getBlock({ blockNumber: BigInt(number) }) as Promise<Header>;

/** The events of the deployment's contracts in a range of blocks. */
export const readLogs = (client: PublicClient, deployment: Deployment, from: number, to: number): Promise<MinedLog[]> =>
  client.getLogs({ address: getIndexedAddresses(deployment), fromBlock: BigInt(from), toBlock: BigInt(to) });

/** Whether a block can hold an event of these contracts; some chains leave `logsBloom` empty. */
function mayHoldEvents({ logsBloom, transactions }: Header, addresses: readonly `0x${string}`[]): boolean {
  if (transactions.length === 0) return false;
  if (logsBloom === null || /^0x0*$/.test(logsBloom)) return true;
  return addresses.some((address) => isInBloom(logsBloom, address));
}

/** The range in the store's form; null if a log belongs to another version of its block. */
function toRange(
  deployment: Deployment,
  numbers: readonly number[],
  headers: readonly Header[],
  logs: readonly MinedLog[],
): BlockRange | null {
  const byNumber = new Map(numbers.map((number, index) => [number, headers[index]!]));
  const events: ChainEventRow[] = [];
  for (const log of logs) {
    const header = byNumber.get(Number(log.blockNumber));
    if (header === undefined || header.hash !== log.blockHash) return null;
    const event = toEvent(deployment, log, header);
    if (event !== null) events.push(event);
  }
  return { blocks: numbers.map((number) => ({ number, hash: byNumber.get(number)!.hash })), events };
}

/** A log as a row of the store; null if it is not an indexed event. */
export function toEvent(
  deployment: Deployment,
  log: MinedLog,
  header: Pick<Header, "timestamp">,
): ChainEventRow | null {
  const event = decodeLog(deployment, log);
  if (event === null) return null;
  const { blockHash, transactionHash: txHash, logIndex } = log;
  return toEventRow(event, {
    blockHash,
    txHash,
    logIndex,
    block: Number(log.blockNumber),
    blockTime: Number(header.timestamp),
  });
}

/**
 * Reads the blocks up to the latest one by one: every header, and the logs of each block that may hold events, by block
 * hash. A lagging node of a pool rejects an unknown hash; a range would silently end before the block. Null if the
 * chain was reorganized during the read: the caller reads again.
 */
export async function readNearHead(
  client: PublicClient,
  deployment: Deployment,
  { from, parent }: RangeStart,
  latest: LatestBlock,
): Promise<BlockRange | null> {
  const numbers = Array.from({ length: latest.number - from + 1 }, (_, index) => from + index);
  const headers = await Promise.all(
    numbers.map((number) => (number === latest.number ? latest.header : readHeader(client, number))),
  );
  const hashes = [parent?.hash ?? headers[0]!.parentHash, ...headers.map(({ hash }) => hash)];
  // safeguard: check-parent-hash
  if (headers.some(({ parentHash }, index) => parentHash !== hashes[index])) return null;
  const address = getIndexedAddresses(deployment);
  const candidates = headers.filter((header) => mayHoldEvents(header, address));
  const logs = await Promise.all(candidates.map(({ hash }) => client.getLogs({ address, blockHash: hash })));
  return toRange(deployment, numbers, headers, logs.flat());
}

/**
 * Reads a range far behind the head: its logs, and the headers of its last block and of blocks with an event. Reads the
 * logs twice, so that a lagging node of a pool cannot hide any. Null if the block before the range is no longer part of
 * the chain.
 */
export async function readFarRange(
  client: PublicClient,
  deployment: Deployment,
  { from, parent }: RangeStart,
  to: number,
): Promise<BlockRange | null> {
  const first = await readLogs(client, deployment, from, to);
  const second = await readLogs(client, deployment, from, to);
  const logs = new Map([...first, ...second].map((log) => [`${log.blockHash}:${log.logIndex}`, log]));
  const numbers = [...new Set([...[...logs.values()].map((log) => Number(log.blockNumber)), to])].sort((a, b) => a - b);
  const [start, ...headers] = await Promise.all([from, ...numbers].map((number) => readHeader(client, number)));
  if (parent !== null && start!.parentHash !== parent.hash) return null;
  return toRange(deployment, numbers, headers, [...logs.values()]);
}
