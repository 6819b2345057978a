import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Artifact } from "@nomicfoundation/ignition-core";
import type { Hex } from "viem";

/**
 * The path of a contract's compiled code in git. `npm run contracts:generate` writes it; a test compares it with a
 * compile.
 */
export const getCompiledPath = (contract: string): string =>
  fileURLToPath(new URL(`./compiled/${contract}.json`, import.meta.url));

async function readCompiled<T>(contract: string): Promise<T> {
  const text = await readFile(getCompiledPath(contract), "utf8").catch((cause) => {
    throw new Error(`The compiled code of ${contract} is missing: run npm run contracts:generate.`, { cause });
  });
  return JSON.parse(text) as T;
}

/** A compiled contract of ours. If its file is missing, throws with the next step. */
export const loadArtifact = (contract: string): Promise<Artifact> => readCompiled<Artifact>(contract);

/** Creation bytecode of a market contract. If its file is missing, throws with the next step. */
export async function loadSeaportBytecode(contract: "Seaport" | "LocalConduitController"): Promise<Hex> {
  return (await readCompiled<{ readonly bytecode: Hex }>(contract)).bytecode;
}
