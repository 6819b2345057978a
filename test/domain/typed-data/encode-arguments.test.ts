import { inspect } from "node:util";
import { expect } from "chai";
import { encodeAbiParameters } from "viem";
import { encodeArguments, type Parameter } from "../../../domain/typed-data/encode-arguments.ts";

const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const HASH = `0x${"ab".repeat(32)}`;
const ITEM = {
  type: "tuple",
  components: [
    { name: "hash", type: "bytes32" },
    { name: "score", type: "uint256" },
  ],
};
const CALL = {
  type: "tuple",
  components: [
    { name: "target", type: "address" },
    { name: "allowFailure", type: "bool" },
    { name: "callData", type: "bytes" },
  ],
};
const listOf = (parameter: Parameter): Parameter => ({ ...parameter, type: `${parameter.type}[]` });
const toItem = (score: bigint) => ({ hash: HASH, score });
/** Data of no byte, of less than a word, of whole words, and of more. */
const CALLS = [0, 1, 4, 31, 32, 33, 100].map((bytes, n) => ({
  target: ADDRESS,
  allowFailure: n % 2 === 0,
  callData: `0x${"a5".repeat(bytes)}`,
}));

const CASES: readonly [string, readonly Parameter[], readonly unknown[]][] = [
  ["no argument", [], []],
  ["an address", [{ type: "address" }], [ADDRESS]],
  ["a hash and a flag", [{ type: "bytes32" }, { type: "bool" }], [HASH, false]],
  ["the largest number", [{ type: "uint256" }], [2n ** 256n - 1n]],
  ["a small type", [{ type: "uint8" }], [255n]],
  ["no bytes", [{ type: "bytes" }], ["0x"]],
  ["text beyond ASCII", [{ type: "string" }, { type: "uint256" }], ["crab 🦀 é", 1n]],
  ["bytes between words", [{ type: "uint256" }, { type: "bytes" }, { type: "bool" }], [7n, CALLS[5]!.callData, true]],
  ["a struct of words", [ITEM, { type: "uint256" }], [toItem(3n), 4n]],
  ["a struct with bytes", [CALL, { type: "uint256" }], [CALLS[3], 4n]],
  ["an empty list", [listOf(ITEM)], [[]]],
  ["a list of structs of words", [{ type: "address" }, listOf(ITEM)], [ADDRESS, [toItem(0n), toItem(1n)]]],
  ["a list of structs with bytes", [listOf(CALL)], [CALLS]],
  ["a list of numbers", [listOf({ type: "uint256" }), { type: "bytes" }], [[1n, 2n], "0x01"]],
];

const WRONG: readonly [string, readonly Parameter[], readonly unknown[]][] = [
  ["a short address", [{ type: "address" }], [ADDRESS.slice(0, -1)]],
  ["an address of other characters", [{ type: "address" }], [`${ADDRESS.slice(0, -1)}g`]],
  ["a long hash", [{ type: "bytes32" }], [`${HASH}00`]],
  ["half a byte", [{ type: "bytes" }], ["0x123"]],
  ["a negative number", [{ type: "uint256" }], [-1n]],
  ["a number beyond 256 bits", [{ type: "uint256" }], [2n ** 256n]],
  ["a number beyond its type", [{ type: "uint8" }], [256n]],
  ...(
    ["", " 1", "1.5", "0x1", "-1", "1n", true, false, null, undefined, 1.5, Number.NaN, 2 ** 53, [1], {}] as const
  ).map((value): (typeof WRONG)[number] => [`${inspect(value)} as an integer`, [{ type: "uint256" }], [value]]),
  ...(["", "true", 0, 1, 1n, null, undefined, [], {}] as const).map((value): (typeof WRONG)[number] => [
    `${inspect(value)} as a boolean`,
    [{ type: "bool" }],
    [value],
  ]),
  ...([0, true, null, undefined, ["a"]] as const).map((value): (typeof WRONG)[number] => [
    `${inspect(value)} as text`,
    [{ type: "string" }],
    [value],
  ]),
  ["a struct without one of its fields", [ITEM], [{ hash: HASH }]],
  ["a missing argument", [{ type: "bool" }], []],
  ["an argument too many", [{ type: "bool" }], [true, true]],
  ["a type without an encoder", [{ type: "int256" }], [1n]],
];

describe("the arguments of a call", () => {
  for (const [name, parameters, values] of CASES)
    it(`have the bytes of viem's encoder: ${name}`, () => {
      expect(`0x${encodeArguments(parameters, values)}`).to.equal(
        encodeAbiParameters(parameters as never, values as never),
      );
    });

  it("may name integers in decimal digits", () => {
    expect(encodeArguments([{ type: "uint256" }], ["340"])).to.equal(encodeArguments([{ type: "uint256" }], [340n]));
    expect(encodeArguments([{ type: "uint8" }], [7])).to.equal(encodeArguments([{ type: "uint8" }], [7n]));
  });

  for (const [name, parameters, values] of WRONG)
    it(`are rejected: ${name}`, () => {
      expect(() => encodeArguments(parameters, values)).to.throw(TypeError);
    });
});
