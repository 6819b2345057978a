import { expect } from "chai";
import { encodeFunctionResult, type Hex, multicall3Abi } from "viem";
import { decodeAggregate } from "../../../backend/adapters/chain/reader/aggregate.ts";

/** Data of no byte, of less than a word, of whole words, and of more. */
const LENGTHS = [0, 1, 4, 31, 32, 33, 36, 68, 100, 320];
const toData = (bytes: number): Hex => `0x${"a5".repeat(bytes)}`;
const encodeResults = (results: readonly { readonly success: boolean; readonly returnData: Hex }[]): Hex =>
  encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results });

describe("what aggregate3 of Multicall3 returns", () => {
  it("is read as viem's encoder has written it", () => {
    const results = LENGTHS.map((bytes, n) => ({ success: n % 3 !== 0, returnData: toData(bytes) }));
    expect(decodeAggregate(encodeResults(results), results.length)).to.deep.equal(results);
    expect(decodeAggregate(encodeResults([]), 0)).to.deep.equal([]);
  });

  it("is CHAIN_UNAVAILABLE where the node's data is not the results of these calls", () => {
    const data = encodeResults([
      { success: true, returnData: toData(32) },
      { success: false, returnData: toData(4) },
    ]);
    const replaceWord = (n: number, word: string): Hex =>
      `${data.slice(0, 2 + 64 * n)}${word}${data.slice(2 + 64 * (n + 1))}` as Hex;
    const wrong: [string, Hex, number][] = [
      ["of another number of calls", data, 3],
      ["empty", "0x", 1],
      ["not hex", "0xzz", 1],
      ["without 0x", `${data.slice(2)}00` as Hex, 2],
      ["a number that ends with other characters", replaceWord(4, `${"0".repeat(62)}1z`), 2],
      ["a number in another notation", replaceWord(4, `0x${"0".repeat(61)}1`), 2],
      ["a result that is not hex", replaceWord(7, "z".repeat(64)), 2],
      ["an endless list", replaceWord(1, "f".repeat(64)), 2],
      ["an offset beyond the end", replaceWord(2, "f".repeat(64)), 2],
      ["a success that is no boolean", replaceWord(4, `${"0".repeat(63)}2`), 2],
      ["a length beyond the end", replaceWord(6, `${"0".repeat(60)}ffff`), 2],
      // Without the padding of the last result it still has all values.
      ...Array.from({ length: data.length / 2 - 30 }, (_, n): [string, Hex, number] => [
        `cut off after ${n} bytes`,
        data.slice(0, 2 + 2 * n) as Hex,
        2,
      ]),
    ];
    for (const [name, text, count] of wrong)
      expect(() => decodeAggregate(text, count), name)
        .to.throw()
        .and.include({ code: "CHAIN_UNAVAILABLE" });
  });
});
