import { type Hex, numberToHex } from "viem";
import type { Intercept } from "../../../testing/chaos/node.ts";

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
}

const isBlockQuestion = (method: string): boolean =>
  method === "eth_getBlockByNumber" || method === "eth_getBlockByHash";

/** Answers with the node's head under a higher number, also when queried by hash. */
export const raiseHead =
  (ahead: bigint): Intercept =>
  ({ method, params }, response) => {
    const block = response.result as Block | null;
    const isRaised = method === "eth_getBlockByHash" || (isBlockQuestion(method) && params?.[0] === "latest");
    if (!isRaised || block === null) return response;
    return { id: response.id, result: { ...block, number: numberToHex(BigInt(block.number) + ahead) } };
  };

/** A block's hash is its number, which no real block's hash is. */
const toHash = (number: number): Hex => numberToHex(number, { size: 32 });
const HASH_MAX = 1e9;

/**
 * Invented blocks on top of a real one, slightly more than the chain has. They are consistent: each is found by
 * its number and its hash, and has the hash of the one below it.
 */
export function inventBlocks(parent: { readonly number: bigint; readonly hash: Hex }, ahead: number): Intercept {
  const first = Number(parent.number) + 1;
  let real: Block | null = null;
  const invent = (number: number): Block | null => {
    if (real === null || number > Number(real.number) + ahead) return null;
    const parentHash = number === first ? parent.hash : toHash(number - 1);
    return { ...real, number: numberToHex(number), hash: toHash(number), parentHash };
  };
  return ({ method, params }, response) => {
    if (!isBlockQuestion(method)) return response;
    const isLatest = params?.[0] === "latest";
    if (isLatest) real = response.result as Block;
    const number = isLatest ? Number(real!.number) + ahead : Number(params?.[0]);
    return number >= first && number < HASH_MAX ? { id: response.id, result: invent(number) } : response;
  };
}
