/** The deployment that a chain command changes. */
import type { Address, PublicClient } from "viem";
import { createPublicClient, custom, getAddress, isAddress } from "viem";
import { getEnvironment } from "../../../backend/config/environment.ts";
import { loadContracts, type NamedContract } from "../../../deploy/admin/calls.ts";
import { createRpcRequest } from "../../../deploy/public/rpc.ts";
import type { DeploymentRecord } from "../../../deploy/record.ts";
import { CommandError, EXIT, UsageError } from "../../cli/failures.ts";
import { compareWithServerStore } from "../../cli/server-store.ts";
import { type DeployContext, loadDeployContext, NETWORK_FLAGS } from "../../deploy/options.ts";
import { readRecord } from "../../doctor/target.ts";

export const CHAIN_FLAGS = {
  ...NETWORK_FLAGS,
  deployment: {
    type: "string",
    value: "FILE",
    help: "the addresses file; by default ARCADE_DEPLOYMENT or the network's own",
  },
  plan: { type: "boolean", help: "only show the plan and the exact calls; needs no key" },
  safe: {
    type: "string",
    value: "FILE",
    help: "only write the calls to a file for a Safe's Transaction Builder or chain schedule; needs no key",
  },
  yes: { type: "boolean", help: "send without confirmation (for scripts)" },
} as const;

export const CONTRACT_FLAG = {
  contract: { type: "string", value: "NAME,NAME", help: "rewards, identity, nft.SLUG or all" },
} as const;

export interface ChainFlags {
  readonly network?: string;
  readonly rpc?: string;
  readonly deployment?: string;
  readonly plan?: boolean;
  readonly safe?: string;
  readonly yes?: boolean;
}

export interface ChainTarget {
  readonly context: DeployContext;
  readonly client: PublicClient;
  readonly record: DeploymentRecord;
  /** Every contract that has roles, `rewards` first. */
  readonly contracts: readonly NamedContract[];
}

/** Throws `CommandError` (chain) if the node does not answer or a contract is missing, `UsageError` for flags. */
export async function loadChainTarget(flags: ChainFlags): Promise<ChainTarget> {
  const context = await loadDeployContext(flags);
  const path = flags.deployment ?? (getEnvironment().ARCADE_DEPLOYMENT || undefined);
  const record = await readRecord(context.network.chainId, path);
  const transport = custom({ request: createRpcRequest(context.rpcUrl) as never });
  const client = createPublicClient({ transport, cacheTime: 0 });
  const contracts = await loadContracts(record);
  for (const { name, address } of contracts) {
    if ((await client.getCode({ address })) !== undefined) continue;
    throw new CommandError(`Expected ${name} of the addresses file at ${address}, received no contract.`, {
      exitCode: EXIT.chain,
      next: "set the node of the deployment's chain with --rpc, or its file with --deployment",
    });
  }
  await compareWithServerStore(client, record);
  return { context, client, record, contracts };
}

/** The contracts that `--contract` selects, in the deployment's order. Throws `UsageError`. */
export function selectContracts({ contracts }: ChainTarget, names: string | undefined): readonly NamedContract[] {
  if (names === undefined || names.trim() === "all") return contracts;
  const wanted = names.split(",").map((name) => name.trim());
  const known = contracts.map(({ name }) => name);
  for (const name of wanted) {
    if (!known.includes(name))
      throw new UsageError(`--contract: expected ${known.join(", ")} or all, received "${name}"`);
  }
  return contracts.filter(({ name }) => wanted.includes(name));
}

/** The contract with this name. Throws `UsageError`. */
export function selectContract(target: ChainTarget, name: string): NamedContract {
  return selectContracts(target, name === "all" ? "one contract" : name)[0]!;
}

/** Parses an argument that is an address. Throws `UsageError`. */
export function parseAddress(name: string, text: string): Address {
  if (isAddress(text)) return getAddress(text);
  throw new UsageError(
    `${name}: expected an address (0x and 40 hex digits, with a correct checksum), received "${text}"`,
  );
}
