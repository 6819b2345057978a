/** Compiles the Solidity doubles of test/fixtures, which no build contains. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Hex } from "viem";

/** The bytecode of the one contract of `test/fixtures/<name>.sol`. */
export async function compileFixture(name: string): Promise<Hex> {
  const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };
  const content = await readFile(new URL(`../fixtures/${name}.sol`, import.meta.url), "utf8");
  const settings = { evmVersion: "cancun", viaIR: true, outputSelection: { "*": { "*": ["evm.bytecode.object"] } } };
  const input = { language: "Solidity", sources: { "A.sol": { content } }, settings };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  if (output.contracts?.["A.sol"]?.[name] === undefined) throw new Error(JSON.stringify(output.errors));
  return `0x${output.contracts["A.sol"][name].evm.bytecode.object}`;
}
