import { getVerificationInformation } from "@nomicfoundation/ignition-core";
import { decodeDeployData, keccak256, type PublicClient } from "viem";
import { loadArtifact } from "../artifacts.ts";
import { makeGameNftModuleId } from "../modules/game-nft.ts";
import type { ArcadeParameters } from "../modules/parameters.ts";
import { type ContractRecord, type DeploymentRecord, stringify } from "../record.ts";
import { findSeaport } from "../seaport.ts";
import type { Step } from "./module-steps.ts";
import type { DeploymentState } from "./state.ts";

type Hex = `0x${string}`;

export interface RecordOptions {
  readonly client: PublicClient;
  readonly parameters: ArcadeParameters;
  readonly steps: readonly Step[];
  readonly state: DeploymentState;
  readonly folder: string;
}

/** Addresses in small letters and the transactions that created them, by Ignition's journal. */
async function readCreations(folder: string): Promise<ReadonlyMap<string, Hex>> {
  const creations = new Map<string, Hex>();
  for await (const info of getVerificationInformation(folder)) {
    if (typeof info === "string" || info.creationTxHash === undefined) continue;
    creations.set(info.address.toLowerCase(), info.creationTxHash as Hex);
  }
  return creations;
}

/** The addresses file of a finished deployment. Throws where the chain does not hold what was planned. */
export async function makeRecord(options: RecordOptions): Promise<DeploymentRecord> {
  const { client, parameters, state } = options;
  const creations = await readCreations(options.folder);
  const contracts: { [name: string]: ContractRecord } = {};
  for (const step of options.steps) {
    if (step.kind !== "create") continue;
    const txHash = creations.get(step.address.toLowerCase());
    const code = await client.getCode({ address: step.address });
    if (txHash === undefined || code === undefined) throw new Error(`${step.name} is not at ${step.address}`);
    const { abi, bytecode } = await loadArtifact(step.contract);
    const { args = [] } = decodeDeployData({ abi, bytecode: bytecode as Hex, data: step.initCode });
    const block = Number((await client.getTransactionReceipt({ hash: txHash })).blockNumber);
    contracts[step.name] = { address: step.address, args, block, txHash, codeHash: keccak256(code) };
  }
  const find = (name: string): Hex => {
    const found = contracts[name];
    if (found === undefined) throw new Error(`the deployment has no ${name}`);
    return found.address;
  };
  const record: DeploymentRecord = {
    chainId: state.chainId,
    startBlock: state.startBlock,
    identity: find("Identity.AgentIdentity"),
    rewards: find("Rewards.RewardsV2"),
    token: find("Token.RewardToken"),
    market: await findSeaport(client),
    nft: Object.fromEntries(parameters.games.map(({ slug }) => [slug, find(`${makeGameNftModuleId(slug)}.GameNFT`)])),
    publicUrl: parameters.publicUrl,
    fingerprint: state.fingerprint,
    deployer: state.deployer,
    contracts,
  };
  // As the file holds it: numbers as strings.
  return JSON.parse(stringify(record)) as DeploymentRecord;
}
