import { readFile } from "node:fs/promises";
import { isAddress } from "viem";
import type { Deployment } from "../ports/chain.ts";

const CONTRACTS = ["identity", "rewards", "token"] as const;

const isContract = (value: unknown): boolean => typeof value === "string" && isAddress(value, { strict: false });

/** The first field that an addresses file needs and this value does not have; null if it has all. */
function findMissingField(value: unknown): string | null {
  const { chainId, startBlock, nft, ...others } = (value ?? {}) as Partial<Deployment>;
  if (!Number.isInteger(chainId)) return "chainId";
  if (!Number.isInteger(startBlock)) return "startBlock";
  if (typeof nft !== "object" || nft === null || !Object.values(nft).every(isContract)) return "nft";
  return CONTRACTS.find((name) => !isContract(others[name])) ?? null;
}

/** Reads an addresses file; null if there is none. Throws an error with its path if it is another file. */
export async function readAddressesFile(path: string): Promise<Deployment | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const expected = `${path}: expected an addresses file, as npm run deploy writes it`;
  let value: unknown;
  try {
    // Editors on Windows write a byte-order mark.
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw new Error(`${expected}; received a file that is not JSON. Write it again with npm run deploy.`, { cause });
  }
  const field = findMissingField(value);
  if (field === null) return value as Deployment;
  throw new Error(`${expected}; received one without a valid ${field}. Set the path of the right file.`);
}
