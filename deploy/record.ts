import { decodeDeployData, type Hex } from "viem";
import { replaceFile } from "../backend/adapters/node/replace-file.ts";
import { readAddressesFile } from "../backend/app/addresses-file.ts";
import type { Deployment } from "../backend/ports/chain.ts";
import { loadArtifact } from "./artifacts.ts";
import { toGameNftModuleId } from "./modules/names.ts";
import type { CreateStep } from "./steps.ts";

export interface ContractRecord {
  readonly address: Hex;
  /** Constructor arguments as in the creating transaction; numbers as decimal strings. */
  readonly args: readonly unknown[];
  readonly block: number;
  readonly txHash: Hex;
  /** keccak256 of the code at the address. */
  readonly codeHash: Hex;
}

/** The addresses file: what the backend needs first, then the deployment's details. */
export interface DeploymentRecord extends Deployment {
  readonly publicUrl: string;
  /** Hash of bytecode and parameters: a different hash means a different deployment. */
  readonly fingerprint: Hex;
  /** Who deployed; absent on the local chain, where it is the admin. */
  readonly deployer?: Hex;
  readonly contracts: { readonly [name: string]: ContractRecord };
}

/** JSON of values with bigints: numbers as decimal strings. */
export const stringify = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === "bigint" ? field.toString() : field), 2);

/** Reads an addresses file; null if it does not exist. Throws if it is invalid. */
export const readDeployment = (path: string): Promise<DeploymentRecord | null> =>
  readAddressesFile(path) as Promise<DeploymentRecord | null>;

/** Writes the file atomically; by default only its owner can read it. */
export async function writeDeployment(path: string, record: DeploymentRecord, replace = replaceFile): Promise<void> {
  await replace(path, `${stringify(record)}\n`);
}

/** The constructor arguments of a creation, in the form of the addresses file. */
export async function toRecordArguments({ contract, initCode }: CreateStep): Promise<readonly unknown[]> {
  const { abi, bytecode } = await loadArtifact(contract);
  return decodeDeployData({ abi, bytecode: bytecode as Hex, data: initCode }).args ?? [];
}

/** The addresses file of a finished deployment. Throws if a contract is missing. */
export function createRecord(
  fields: Omit<DeploymentRecord, "identity" | "rewards" | "token" | "nft">,
  slugs: readonly string[],
): DeploymentRecord {
  const find = (name: string): Hex => {
    const found = fields.contracts[name];
    if (found === undefined) throw new Error(`the deployment has no ${name}`);
    return found.address;
  };
  const { chainId, startBlock, market, publicUrl, fingerprint, deployer, contracts } = fields;
  const record: DeploymentRecord = {
    chainId,
    startBlock,
    identity: find("Identity.AgentIdentity"),
    rewards: find("Rewards.RewardsV2"),
    token: find("Token.RewardToken"),
    market,
    nft: Object.fromEntries(slugs.map((slug) => [slug, find(`${toGameNftModuleId(slug)}.GameNFT`)])),
    publicUrl,
    fingerprint,
    ...(deployer === undefined ? {} : { deployer }),
    contracts,
  };
  // In the form of the file: numbers as strings.
  return JSON.parse(stringify(record)) as DeploymentRecord;
}
