/** The descriptor files of deployments, by their names in the registry of ERC-7730. */
import type { Address } from "viem";
import { CALL_FORMATS, describeCall, toCallKey } from "./calls.ts";
import { DESCRIPTOR_SCHEMA, type Descriptor } from "./descriptor.ts";
import type { ContractName } from "./intents.ts";
import { describeMessages, MESSAGE_DOMAINS } from "./messages.ts";

export interface ContractAddresses {
  readonly chainId: number;
  readonly addresses: { readonly [name in ContractName]: readonly Address[] };
}

const OWNER = "Agent Arcade";
const CONTRACTS: readonly ContractName[] = ["AgentIdentity", "GameNFT", "RewardsV2", "RewardToken", "Seaport"];

const listDeployments = (deployed: readonly ContractAddresses[], contract: ContractName) =>
  deployed.flatMap(({ chainId, addresses }) => addresses[contract].map((address) => ({ chainId, address })));

function createCallDescriptor(contract: ContractName, deployed: readonly ContractAddresses[]): Descriptor {
  const calls = CALL_FORMATS.filter(({ contracts }) => contracts.includes(contract));
  return {
    $schema: DESCRIPTOR_SCHEMA,
    context: { contract: { deployments: listDeployments(deployed, contract) } },
    metadata: { owner: OWNER, contractName: contract },
    display: { formats: Object.fromEntries(calls.map((call) => [toCallKey(call.abi), describeCall(call)])) },
  };
}

function createMessageDescriptor(
  { contract, domain, messages }: (typeof MESSAGE_DOMAINS)[number],
  deployed: readonly ContractAddresses[],
): Descriptor {
  const binding = contract === null ? {} : { deployments: listDeployments(deployed, contract) };
  return {
    $schema: DESCRIPTOR_SCHEMA,
    context: { eip712: { domain, ...binding } },
    metadata: { owner: OWNER, ...(contract === null ? {} : { contractName: contract }) },
    display: { formats: describeMessages(messages) },
  };
}

/** Every file with its descriptor, which lists the contracts of each chain. */
export const createDescriptorFiles = (
  deployed: readonly ContractAddresses[],
): { readonly [file: string]: Descriptor } =>
  Object.fromEntries([
    ...CONTRACTS.map((name) => [`calldata-${name}.json`, createCallDescriptor(name, deployed)]),
    ...MESSAGE_DOMAINS.map((domain) => [`eip712-${domain.name}.json`, createMessageDescriptor(domain, deployed)]),
  ]);
