/** Reads the scores on chain to verify. */
import {
  type Address,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  getAbiItem,
  type PublicClient,
  parseAbi,
} from "viem";
import { listSnapshotEvents, type SnapshotEvent } from "../../client/snapshot-event.ts";
import { CommandError, EXIT } from "../cli/failures.ts";
import { findNodeFault } from "../cli/node-faults.ts";

const ABI = parseAbi([
  "function identity() view returns (address)",
  "function maxScorePerSession() view returns (uint256)",
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
]);

export interface EventSelection {
  readonly rewards: Address;
  readonly agentId: bigint | null;
  readonly wallet: Address | null;
  readonly fromBlock: bigint;
  /** Null: the latest block. */
  readonly toBlock: bigint | null;
}

interface Tenure {
  readonly wallet: Address;
  readonly from: number;
  readonly to: number;
}

/** The holders of an identity, and in which blocks. */
async function readTenures(client: PublicClient, rewards: Address, agentId: bigint): Promise<readonly Tenure[]> {
  const identity = await client.readContract({ address: rewards, abi: ABI, functionName: "identity" });
  const event = getAbiItem({ abi: ABI, name: "Transfer" });
  const filter = { address: identity, event, args: { tokenId: agentId }, strict: true } as const;
  const transfers = await client.getLogs({ ...filter, fromBlock: 0n, toBlock: "latest" });
  return transfers.map(({ args, blockNumber }, at) => ({
    wallet: args.to,
    from: Number(blockNumber),
    to: Number(transfers[at + 1]?.blockNumber ?? Number.MAX_SAFE_INTEGER),
  }));
}

async function listEventsOfAgent(client: PublicClient, selection: EventSelection, agentId: bigint) {
  const tenures = await readTenures(client, selection.rewards, agentId).catch((cause: unknown) => {
    if (findNodeFault(cause) !== null) throw cause;
    throw new CommandError(`The holders of identity ${agentId} could not be read from the chain.`, {
      cause,
      exitCode: EXIT.chain,
      next: "check --rewards and --rpc",
    });
  });
  if (tenures.length === 0) throw new CommandError(`There is no identity ${agentId}.`, { exitCode: EXIT.chain });
  const lists = await Promise.all(
    [...new Set(tenures.map(({ wallet }) => wallet))].map((wallet) => listEvents(client, selection, wallet)),
  );
  const isHeld = ({ wallet, block }: SnapshotEvent): boolean =>
    tenures.some((tenure) => tenure.wallet === wallet && tenure.from <= block && block <= tenure.to);
  return lists.flat().filter(isHeld);
}

const listEvents = (client: PublicClient, selection: EventSelection, wallet: Address | null) =>
  listSnapshotEvents(client, {
    rewards: selection.rewards,
    fromBlock: selection.fromBlock,
    ...(wallet === null ? {} : { wallet }),
    ...(selection.toBlock === null ? {} : { toBlock: selection.toBlock }),
  });

/** Another contract has no scores, so all of its scores would be correct. */
async function requireRewards(client: PublicClient, address: Address): Promise<void> {
  const call = { address, abi: ABI, functionName: "maxScorePerSession" } as const;
  await client.readContract(call).catch((error: unknown) => {
    const { cause } = error as Error;
    if (!(cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError))
      throw error;
    throw new CommandError(`The contract at ${address} is not the rewards contract.`, {
      cause,
      exitCode: EXIT.chain,
      next: "check --rewards and --rpc",
    });
  });
}

/** The selected events in chain order. Throws `CommandError` and `ArcadeChainError`. */
export async function readSelectedEvents(
  client: PublicClient,
  selection: EventSelection,
): Promise<readonly SnapshotEvent[]> {
  const code = await client.getCode({ address: selection.rewards });
  if (code === undefined || code === "0x") {
    throw new CommandError(`There is no contract at ${selection.rewards}.`, {
      exitCode: EXIT.chain,
      next: "check --rewards and --rpc",
    });
  }
  await requireRewards(client, selection.rewards);
  const { agentId, wallet } = selection;
  return agentId === null ? listEvents(client, selection, wallet) : listEventsOfAgent(client, selection, agentId);
}
