/** Reads for the explorer's pages. The browser calls the node directly, so these pages cost the service no calls. */
import {
  type Abi,
  decodeEventLog,
  decodeFunctionData,
  erc20Abi,
  erc721Abi,
  formatEther,
  type Hex,
  type Log,
  type PublicClient,
  parseAbi,
  TransactionNotFoundError,
} from "viem";
import type { Address } from "../../client/api.ts";
import { isSameAddress } from "../../domain/addresses.ts";
import { decodeRevert, findRevertData } from "../../domain/reverts.ts";
import { FULFILL_ABI } from "../../domain/seaport.ts";
import { CALLS } from "../../domain/typed-data/calls.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi, rewardTokenAbi } from "../../domain/typed-data/contract-abis.ts";
import { EXPLORER_LABELS, EXPLORER_PAGE_LABELS } from "../labels/explorer.ts";
import { formatDateTime } from "../labels/shared.ts";
import { createChainReader, getContractName, siteChain } from "../wallet/chain.ts";
import { type DetailRow, describeArguments, describeValue } from "../wallet/describe.ts";

/** Nodes limit the block range of a search for events. */
export const EVENT_BLOCKS = 2000;
const EVENTS_MAX = 50;

/** What a page shows. */
export interface ChainView {
  readonly title: string;
  readonly rows: readonly DetailRow[];
  /** The transaction's call; null for an address. */
  readonly call: { readonly name: string; readonly rows: readonly DetailRow[]; readonly data: Hex } | null;
  /** The agent that has this wallet. */
  readonly agentId: string | null;
  readonly events: readonly DecodedEvent[];
}

const toRows = (facts: { readonly [name: string]: unknown }): readonly DetailRow[] =>
  Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : describeValue(siteChain, name, value)));

const OTHER_EVENTS = parseAbi([
  "event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue)",
  "event Paused(address account)",
  "event Unpaused(address account)",
  "event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
  "event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
]);

/** `abi`: what the service reads from the contract. */
type KnownContract = Readonly<{ address: Address; abi: Abi }>;

/** Fields and views of token amounts; the arcade's token has 18 decimals. */
const REWARDS_AMOUNTS =
  /(?:^|\.)(?:amount|floatBalance|dailyCap|weeklyCap|maxPayout|scoreToTokenRate|get(?:Daily|Weekly)Remaining)$/;
const TOKEN_AMOUNTS = /^(?:balanceOf|totalSupply|value)$/;

/** Shows token amounts of a contract's rows in tokens; the amount in base units follows. */
function showTokens(contract: Address, rows: readonly DetailRow[]): readonly DetailRow[] {
  const { contracts, token } = siteChain;
  const isAmount = ({ name }: DetailRow): boolean =>
    (isSameAddress(contract, contracts.rewards) && REWARDS_AMOUNTS.test(name)) ||
    (isSameAddress(contract, token) && TOKEN_AMOUNTS.test(name));
  return rows.map((row) =>
    isAmount(row) ? { ...row, text: EXPLORER_LABELS.tokens(formatEther(BigInt(row.text))), fullText: row.text } : row,
  );
}

/** The contracts whose events and state are shown. */
function listContracts(): readonly KnownContract[] {
  const { contracts, token } = siteChain;
  return [
    { address: contracts.rewards, abi: rewardsV2Abi },
    { address: contracts.identity, abi: agentIdentityAbi },
    { address: token, abi: rewardTokenAbi },
    ...Object.values(contracts.nft).map((address) => ({ address, abi: gameNFTAbi })),
  ];
}

export type DecodedEvent = ReturnType<typeof decodeEvent>;

const EVENT_ABI = [...rewardsV2Abi, ...agentIdentityAbi, ...gameNFTAbi, ...OTHER_EVENTS];

/** An event that is in none of the known ABIs is shown by its topic. */
function decodeEvent({ address, topics, data, transactionHash, blockNumber, logIndex }: Log) {
  const contractName = getContractName(siteChain, address);
  const key = `${transactionHash} ${logIndex}`;
  const event = { key, address, contractName, txHash: transactionHash!, block: String(blockNumber) };
  try {
    // The events of both standards have the same names but different indexed fields.
    const standard: Abi = topics.length === 4 ? erc721Abi : [...erc20Abi, ...erc721Abi];
    const { eventName, args } = decodeEventLog({ abi: [...standard, ...EVENT_ABI] as Abi, topics, data });
    return { ...event, name: String(eventName), rows: showTokens(address, toRows({ ...args })) };
  } catch {
    return { ...event, name: EXPLORER_LABELS.unknownEvent, rows: toRows({ topic: topics[0] ?? null }) };
  }
}

const CALL_ABI = [...CALLS, ...FULFILL_ABI, ...erc20Abi, ...erc721Abi] as Abi;

/** Null if the call is in none of the known ABIs. */
function decodeCall(data: Hex): { readonly name: string; readonly rows: readonly DetailRow[] } | null {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: CALL_ABI, data });
    return { name: functionName, rows: describeArguments(siteChain, { functionName, args }, CALL_ABI) };
  } catch {
    return null;
  }
}

/** Null if the chain has no such transaction. Throws the node's errors. */
export async function readTransaction(hash: Hex): Promise<ChainView | null> {
  const reader = createChainReader(siteChain, null);
  const found = await reader.getTransaction({ hash }).catch((error: unknown) => {
    if (error instanceof TransactionNotFoundError) return null;
    throw error;
  });
  if (found === null) return null;
  const { from, to, value, input, blockNumber } = found;
  const receipt = blockNumber === null ? null : await reader.getTransactionReceipt({ hash });
  const block = blockNumber === null ? null : await reader.getBlock({ blockNumber });
  const rows = toRows({
    status: EXPLORER_LABELS.status[receipt?.status ?? "pending"],
    reason: receipt?.status === "reverted" ? await findReason(reader, found) : null,
    block: blockNumber,
    minedAt: block && formatDateTime(new Date(Number(block.timestamp) * 1000).toISOString()),
    from,
    to: to ?? EXPLORER_LABELS.created,
    value: `${formatEther(value)} ETH`,
    fee: receipt && `${formatEther(receipt.gasUsed * receipt.effectiveGasPrice)} ETH`,
  });
  const call = { data: input, ...(decodeCall(input) ?? { name: EXPLORER_LABELS.unknownCall, rows: [] }) };
  const events = (receipt?.logs ?? []).map(decodeEvent);
  return { title: EXPLORER_PAGE_LABELS.title.tx, rows, call, agentId: null, events };
}

type FoundTransaction = Awaited<ReturnType<PublicClient["getTransaction"]>>;

/** The error of the same call at the parent block. */
async function findReason(reader: PublicClient, transaction: FoundTransaction): Promise<string | null> {
  const { from: account, to, input: data, value, blockNumber } = transaction;
  try {
    await reader.call({ account, to, data, value, blockNumber: blockNumber! - 1n });
    return null;
  } catch (error) {
    const revert = findRevertData(error);
    return revert === null ? null : (decodeRevert(revert)?.text ?? revert);
  }
}

/** Throws the node's errors. */
export async function readAddress(address: Address): Promise<ChainView> {
  const reader = createChainReader(siteChain, null);
  const own = listContracts().find((contract) => isSameAddress(contract.address, address));
  const [balance, code, transactionsSent, state, events] = await Promise.all([
    reader.getBalance({ address }),
    reader.getCode({ address }),
    reader.getTransactionCount({ address }),
    own === undefined ? readHolding(reader, address) : readViews(reader, own, []),
    readEvents(reader, address),
  ]);
  const agentId = state.find(({ name }) => name.endsWith("primaryIdentity"))?.text ?? "0";
  const kind = code === undefined ? EXPLORER_LABELS.wallet : EXPLORER_LABELS.contract;
  return {
    title: getContractName(siteChain, address) ?? kind,
    rows: [...toRows({ ether: formatEther(balance), transactionsSent }), ...state],
    call: null,
    agentId: agentId === "0" ? null : agentId,
    events,
  };
}

/** The results of all views of a contract with these arguments, without those that fail. */
async function readViews(
  reader: PublicClient,
  { address, abi }: KnownContract,
  args: readonly Address[],
): Promise<readonly DetailRow[]> {
  const views = abi.filter(
    (item) =>
      item.type === "function" &&
      item.inputs.length === args.length &&
      item.inputs.every(({ type }) => type === "address"),
  );
  const rows = views.map(async (view) => {
    if (view.type !== "function") return [];
    const value = await reader.readContract({ address, abi: [view], functionName: view.name, args }).catch(() => null);
    const hasNames = view.outputs.length > 1 && Array.isArray(value);
    const named = hasNames ? Object.fromEntries(view.outputs.map(({ name }, i) => [name, value[i]])) : value;
    return value === null ? [] : describeValue(siteChain, view.name, named);
  });
  return showTokens(address, (await Promise.all(rows)).flat());
}

/** What each contract stores about a wallet. */
async function readHolding(reader: PublicClient, wallet: Address): Promise<readonly DetailRow[]> {
  const known = listContracts().map(async (contract) => {
    const name = getContractName(siteChain, contract.address);
    const rows = await readViews(reader, contract, [wallet]);
    return rows.map((row) => ({ ...row, name: `${name}.${row.name}` }));
  });
  return (await Promise.all(known)).flat();
}

/** The latest events that a contract has emitted, or that name a wallet; newest first. */
async function readEvents(reader: PublicClient, address: Address): Promise<readonly DecodedEvent[]> {
  const head = await reader.getBlockNumber();
  const oldest = head - BigInt(EVENT_BLOCKS) + 1n;
  const logs = await reader.getLogs({
    address: listContracts().map((contract) => contract.address),
    fromBlock: oldest > 0n ? oldest : 0n,
    toBlock: head,
  });
  const word = address.slice(2).toLowerCase();
  const involved = logs.filter(
    (log) => isSameAddress(log.address, address) || `${log.topics.join()}${log.data}`.toLowerCase().includes(word),
  );
  return involved.slice(-EVENTS_MAX).reverse().map(decodeEvent);
}
