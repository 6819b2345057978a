import type { Block, PublicClient } from "viem";
import type { BlockRef, ChainEventRow, Deployment } from "../../../ports.ts";
import { decodeLog, followedAddresses, toEventRow } from "../events.ts";

type Header = Pick<Block, "hash" | "parentHash" | "timestamp"> & { readonly hash: `0x${string}` };

/** A range of blocks as the chain had it in one piece. */
export interface Range {
  /** Refs in rising order; the last block of the range is always among them. */
  readonly blocks: readonly BlockRef[];
  readonly events: readonly ChainEventRow[];
}

export const readHeader = (client: PublicClient, number: number): Promise<Header> =>
  client.getBlock({ blockNumber: BigInt(number) }) as Promise<Header>;

/** Where a range begins: right after a block that is known, or at the very first block that matters. */
export interface Start {
  readonly from: number;
  readonly parent: BlockRef | null;
}

/**
 * Reads the events of the blocks `from` to `to`. With `every`, each block's header is read and its chain of parents
 * checked; else only those of blocks that hold an event, and the last one.
 * Answers null where the chain changed its mind meanwhile: the caller looks again.
 */
export async function readRange(
  client: PublicClient,
  deployment: Deployment,
  { from, parent }: Start,
  to: number,
  every: boolean,
): Promise<Range | null> {
  const address = followedAddresses(deployment);
  const all = every ? Array.from({ length: to - from + 1 }, (_, index) => from + index) : [];
  const [logs, known] = await Promise.all([
    client.getLogs({ address, fromBlock: BigInt(from), toBlock: BigInt(to) }),
    Promise.all(all.map((number) => readHeader(client, number))),
  ]);
  const numbers = every ? all : [...new Set([...logs.map((log) => Number(log.blockNumber)), to])].sort((a, b) => a - b);
  const headers = every ? known : await Promise.all(numbers.map((number) => readHeader(client, number)));
  const byNumber = new Map(numbers.map((number, index) => [number, headers[index]!]));

  const first = byNumber.get(from);
  if (parent !== null && first !== undefined && first.parentHash !== parent.hash) return null;
  if (every && headers.some((header, index) => index > 0 && header.parentHash !== headers[index - 1]!.hash))
    return null;

  const events: ChainEventRow[] = [];
  for (const log of logs) {
    const block = Number(log.blockNumber);
    const header = byNumber.get(block);
    if (header === undefined || header.hash !== log.blockHash) return null;
    const event = decodeLog(deployment, log);
    if (event === null) continue;
    const place = { block, blockHash: log.blockHash, txHash: log.transactionHash, logIndex: log.logIndex };
    events.push(toEventRow(event, { ...place, blockTime: Number(header.timestamp) }));
  }
  return { blocks: numbers.map((number) => ({ number, hash: byNumber.get(number)!.hash })), events };
}
