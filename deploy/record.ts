import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Deployment } from "../backend/ports.ts";

type Hex = `0x${string}`;

export interface ContractRecord {
  readonly address: Hex;
  /** Constructor arguments as they stand in the creating transaction; numbers as decimal strings. */
  readonly args: readonly unknown[];
  readonly block: number;
  readonly txHash: Hex;
  /** keccak256 of the code at the address. */
  readonly codeHash: Hex;
}

/** The addresses file: what the backend needs first, then how it came to be. */
export interface DeploymentRecord extends Deployment {
  readonly publicUrl: string;
  /** Hash of bytecode and parameters: another one means another deployment. */
  readonly fingerprint: Hex;
  /** Who deployed; absent on the local chain, where that is the admin. */
  readonly deployer?: Hex;
  readonly contracts: { readonly [name: string]: ContractRecord };
}

/** JSON of values with bigints: numbers as decimal strings. */
export const stringify = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === "bigint" ? field.toString() : field), 2);

/** Reads an addresses file; null where there is none. Throws where it is not one. */
export async function readDeployment(path: string): Promise<DeploymentRecord | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const record = JSON.parse(text) as DeploymentRecord;
  if (typeof record.chainId !== "number" || typeof record.rewards !== "string" || typeof record.nft !== "object") {
    throw new Error(`${path} is not an addresses file`);
  }
  return record;
}

/** Writes the file as a whole or not at all. */
export async function writeDeployment(path: string, record: DeploymentRecord): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${stringify(record)}\n`);
  await rename(`${path}.new`, path);
}
