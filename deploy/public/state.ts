import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keccak256, stringToHex } from "viem";
import type { ArcadeParameters } from "../modules/parameters.ts";
import { stringify } from "../record.ts";
import type { Step } from "./module-steps.ts";

type Hex = `0x${string}`;

/** What a deployment began with; it is continued with nothing else. */
export interface DeploymentState {
  readonly chainId: number;
  /** Hash of the chain's first block: a development chain that was started anew is another chain. */
  readonly genesisHash: Hex;
  readonly deployer: Hex;
  readonly salt: Hex;
  /** Hash of every transaction that is going to be sent. */
  readonly fingerprint: Hex;
  readonly startBlock: number;
}

/** The same for the same contracts, arguments, deployer and salt; another one for anything else. */
export const fingerprintOf = (parameters: ArcadeParameters, steps: readonly Step[]): Hex =>
  keccak256(
    stringToHex(
      stringify([parameters.publicUrl, steps.map((step) => (step.kind === "create" ? step.initCode : step.data))]),
    ),
  );

const pathOf = (folder: string): string => join(folder, "state.json");

export async function readState(folder: string): Promise<DeploymentState | null> {
  const text = await readFile(pathOf(folder), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as DeploymentState);
}

/** Writes the file as a whole or not at all. */
export async function writeState(folder: string, state: DeploymentState): Promise<void> {
  await writeFile(`${pathOf(folder)}.new`, `${stringify(state)}\n`);
  await rename(`${pathOf(folder)}.new`, pathOf(folder));
}

/** Why a deployment that was begun cannot be continued with what is given now; null where it can. */
export function differenceOf(begun: DeploymentState, now: Omit<DeploymentState, "startBlock">): string | null {
  if (begun.genesisHash !== now.genesisHash) return "the node is on another chain with the same id";
  if (begun.deployer.toLowerCase() !== now.deployer.toLowerCase()) return `it was begun by ${begun.deployer}`;
  if (begun.salt !== now.salt) return "it was begun with another salt";
  if (begun.fingerprint !== now.fingerprint) return "contracts or parameters have changed since it was begun";
  return null;
}
