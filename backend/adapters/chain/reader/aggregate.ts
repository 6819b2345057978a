/** What `aggregate3` of Multicall3 returns, read without viem's decoder of any type, which takes many times as long. */
import type { Hex } from "viem";
import { createUnavailableError } from "../rpc-errors.ts";

const WORD_BYTES = 32;
const WORD_DIGITS = 2 * WORD_BYTES;
const HEX = /^0x[0-9a-f]*$/i;

/** What one call has returned. */
export interface CallResult {
  readonly success: boolean;
  readonly returnData: Hex;
}

/** The results of `count` calls: `(bool success, bytes returnData)[]`. Throws `CHAIN_UNAVAILABLE` for any other data. */
export function decodeAggregate(data: Hex, count: number): readonly CallResult[] {
  if (!HEX.test(data)) throw createUnavailableError("it has returned no hex");
  const digits = data.slice(2);
  /** `NaN` beyond the end: nothing equals it. */
  const readNumber = (at: number): number => {
    const word = digits.slice(2 * at, 2 * at + WORD_DIGITS);
    return word.length === WORD_DIGITS ? Number.parseInt(word, 16) : Number.NaN;
  };
  const listAt = readNumber(0);
  if (readNumber(listAt) !== count) throw createUnavailableError("it has not returned all values");
  const itemsAt = listAt + WORD_BYTES;
  return Array.from({ length: count }, (_, n) => {
    const itemAt = itemsAt + readNumber(itemsAt + n * WORD_BYTES);
    const success = readNumber(itemAt);
    const bytesAt = itemAt + readNumber(itemAt + WORD_BYTES);
    const start = 2 * (bytesAt + WORD_BYTES);
    const length = 2 * readNumber(bytesAt);
    const returned = digits.slice(start, start + length);
    if (returned.length !== length || (success !== 0 && success !== 1))
      throw createUnavailableError("it has not returned the values of calls");
    return { success: success === 1, returnData: `0x${returned}` };
  });
}
