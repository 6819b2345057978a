/** Calls, events and state of the arcade's contracts in words. */
import { type Abi, decodeEventLog, decodeFunctionData, erc20Abi, erc721Abi, type Hex, type Log, parseAbi } from "viem";
import type { Address } from "../../client/api.ts";
import { isSameAddress } from "../../domain/addresses.ts";
import { FULFILL_ABI } from "../../domain/seaport.ts";
import { CALLS } from "../../domain/typed-data/calls.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi, rewardTokenAbi } from "../../domain/typed-data/contract-abis.ts";
import { EXPLORER_LABELS } from "../labels/explorer.ts";
import { getContractName, siteChain } from "../wallet/chain.ts";
import { type DetailRow, describeArguments, describeValue } from "../wallet/describe.ts";

const GUARD_EVENTS = parseAbi([
  "event Paused(address account)",
  "event Unpaused(address account)",
  "event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
  "event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
]);

/** `abi`: what the service reads of it. `more`: events of its standards. */
export type KnownContract = Readonly<{ address: Address; abi: Abi; more: Abi }>;

/** The contracts whose events and state are shown. */
export function listContracts(): readonly KnownContract[] {
  const { contracts, token } = siteChain;
  return [
    { address: contracts.rewards, abi: rewardsV2Abi, more: GUARD_EVENTS },
    { address: contracts.identity, abi: agentIdentityAbi, more: [...erc721Abi, ...GUARD_EVENTS] },
    { address: token, abi: rewardTokenAbi, more: erc20Abi },
    ...Object.values(contracts.nft).map((address) => ({ address, abi: gameNFTAbi as Abi, more: erc721Abi as Abi })),
  ];
}

export type DecodedEvent = ReturnType<typeof decodeEvent>;

/** An event that no ABI here has is shown by its topic. */
export function decodeEvent({ address, topics, data, transactionHash, blockNumber, logIndex }: Log) {
  const found = listContracts().find((contract) => isSameAddress(contract.address, address));
  const event = {
    key: `${transactionHash} ${logIndex}`,
    address,
    contractName: getContractName(siteChain, address),
    txHash: transactionHash!,
    block: String(blockNumber),
  };
  try {
    const { eventName, args } = decodeEventLog({ abi: [...(found?.abi ?? []), ...(found?.more ?? [])], topics, data });
    const rows = Object.entries(args ?? {}).flatMap(([name, value]) => describeValue(siteChain, name, value));
    return { ...event, name: String(eventName), rows };
  } catch {
    return { ...event, name: EXPLORER_LABELS.unknownEvent, rows: describeValue(siteChain, "topic", topics[0] ?? "") };
  }
}

const CALL_ABI = [...CALLS, ...FULFILL_ABI, ...erc20Abi, ...erc721Abi] as Abi;

/** Null if no ABI here has the call. */
export function decodeCall(data: Hex): { readonly name: string; readonly rows: readonly DetailRow[] } | null {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: CALL_ABI, data });
    return { name: functionName, rows: describeArguments(siteChain, { functionName, args }, CALL_ABI) };
  } catch {
    return null;
  }
}
