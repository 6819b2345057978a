import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BlockNotFoundError, type Hex, keccak256, type PublicClient, stringToHex } from "viem";
import { replaceFile } from "../../backend/adapters/node/replace-file.ts";
import { isSameAddress } from "../../domain/addresses.ts";
import { stringify } from "../record.ts";
import type { Step } from "../steps.ts";

/** What a deployment started with. Steps may be added; a step never changes. */
export interface DeploymentState {
  readonly chainId: number;
  /**
   * Hash of the chain's first block, which tells a restarted development chain from the old one. Null if the node has
   * pruned it.
   */
  readonly genesisHash: Hex | null;
  readonly deployer: Hex;
  readonly salt: Hex;
  readonly startBlock: number;
  /** Hash of what each step sends, by its name. */
  readonly steps: { readonly [name: string]: Hex };
}

export const hashSteps = (steps: readonly Step[]): DeploymentState["steps"] =>
  Object.fromEntries(steps.map((step) => [step.name, keccak256(step.kind === "create" ? step.initCode : step.data)]));

/** Equal for the same contracts and arguments. */
export const computeFingerprint = (steps: readonly Step[]): Hex => keccak256(stringToHex(stringify(hashSteps(steps))));

/** Null if the node has pruned the chain's first block. */
export async function readGenesisHash(client: PublicClient): Promise<Hex | null> {
  const genesis = await client.getBlock({ blockNumber: 0n }).catch((error: unknown) => {
    if (error instanceof BlockNotFoundError) return null;
    throw error;
  });
  return genesis?.hash ?? null;
}

const getStatePath = (folder: string): string => join(folder, "state.json");

export async function readState(folder: string): Promise<DeploymentState | null> {
  const text = await readFile(getStatePath(folder), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as DeploymentState);
}

export const writeState = (folder: string, state: DeploymentState): Promise<void> =>
  replaceFile(getStatePath(folder), `${stringify(state)}\n`);

/** Why a deployment cannot be continued with these parameters; null if it can continue or grow. */
export function findDifference(saved: DeploymentState, expected: Omit<DeploymentState, "startBlock">): string | null {
  const genesis = [saved.genesisHash, expected.genesisHash];
  if (!genesis.includes(null) && genesis[0] !== genesis[1]) return "the node is on another chain with the same id";
  if (!isSameAddress(saved.deployer, expected.deployer)) return `it was begun by ${saved.deployer}`;
  if (saved.salt !== expected.salt) return "it was begun with another salt";
  const changed = Object.entries(saved.steps).flatMap(([name, hash]) => (expected.steps[name] === hash ? [] : [name]));
  return changed.length === 0
    ? null
    : `contracts or parameters have changed since it was begun (${changed.join(", ")})`;
}
