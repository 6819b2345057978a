/** The last blocks of the chain as one node reports them. */
import { type Hex, numberToHex } from "viem";
import { HEAD_LAG_MAX_BLOCKS, type NamedChain } from "./judge.ts";

export interface RpcBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
}

export type NodeRequest = (call: { readonly method: string; readonly params?: readonly unknown[] }) => Promise<unknown>;

/** The best head may be three blocks above the second one, and blocks are compared from three below that. */
const KNOWN_BLOCKS = 2 * HEAD_LAG_MAX_BLOCKS + 1;

/**
 * The chain below a node's head, or a problem as text if the node lacks these blocks. If the head directly follows the
 * previous one, its parents are not read again.
 */
export async function readChain(
  request: NodeRequest,
  head: RpcBlock,
  before: NamedChain | null,
): Promise<NamedChain | string> {
  const number = Number(head.number);
  const isNext = before !== null && before.number === number - 1 && before.hashes[0] === head.parentHash;
  // The last of them contains the hash of its parent, which reaches any head within the lag.
  const parentNumbers = isNext ? [] : [number - 1, number - 2].filter((parent) => parent >= 0);
  const [found, ...parents] = (await Promise.all([
    request({ method: "eth_getBlockByHash", params: [head.hash, false] }),
    ...parentNumbers.map((parent) => request({ method: "eth_getBlockByNumber", params: [numberToHex(parent), false] })),
  ])) as readonly (RpcBlock | null)[];
  if (found?.number !== head.number) return "reports a latest block that does not exist";
  if (isNext) return { number, hashes: [head.hash, ...before.hashes].slice(0, KNOWN_BLOCKS) };
  const hashes = [head.hash, head.parentHash];
  for (const [index, parent] of parents.entries()) {
    if (parent?.hash !== hashes[index + 1]) return "reports a latest block without the blocks below it";
    hashes.push(parent!.parentHash);
  }
  return { number, hashes };
}
