import {
  type Abi,
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  type PublicClient,
  stringToHex,
  zeroAddress,
} from "viem";
import { ACCESS_CONTROL_ABI } from "../abi.ts";
import { loadArtifact } from "../artifacts.ts";
import type { DeploymentRecord } from "../record.ts";

/**
 * `token`: an account that holds tokens; `pendingAdmin`: the account that will accept the admin role; `proposer` and
 * `executor`: of a timelock.
 */
export type Power = "admin" | "guardian" | "pendingAdmin" | "token" | "proposer" | "executor";

/** A contract of a deployment, by the name that commands use: `rewards`, `identity`, `nft.<slug>`, `token`. */
export interface NamedContract {
  readonly name: string;
  readonly address: Address;
  readonly abi: Abi;
}

/** One call that changes a contract. */
export interface AdminCall {
  readonly contract: NamedContract;
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly data: Hex;
  /** Who may send it; keys are tried in this order. */
  readonly powers: readonly Power[];
  readonly change: { readonly what: string; readonly from: string; readonly to: string };
  /** True if it depends on the call before it, so that its gas cannot be estimated yet. */
  readonly needsPrevious: boolean;
  /** Why a sender cannot make the call, if a gas estimate would notice too late; null if it can. */
  readonly findProblem: ((sender: Address) => Promise<string | null>) | null;
}

/** What a command will do. No calls: nothing to do. */
export interface AdminChange {
  readonly calls: readonly AdminCall[];
  /** What the reader must know or do next. */
  readonly notes: readonly string[];
}

export interface CallOptions {
  readonly powers: readonly Power[];
  readonly change: AdminCall["change"];
  readonly needsPrevious?: boolean;
  readonly findProblem?: AdminCall["findProblem"];
}

export function createCall(
  contract: NamedContract,
  functionName: string,
  args: readonly unknown[],
  { powers, change, needsPrevious = false, findProblem = null }: CallOptions,
): AdminCall {
  const data = encodeFunctionData({ abi: contract.abi, functionName, args });
  return { contract, functionName, args, data, powers, change, needsPrevious, findProblem };
}

/** The contracts of a deployment that have roles, the rewards contract first. */
export async function loadContracts({ rewards, identity, nft }: DeploymentRecord): Promise<readonly NamedContract[]> {
  const load = async (name: string, address: Address, contract: string): Promise<NamedContract> => ({
    name,
    address,
    abi: (await loadArtifact(contract)).abi as Abi,
  });
  return Promise.all([
    load("rewards", rewards, "RewardsV2"),
    load("identity", identity, "AgentIdentity"),
    ...Object.entries(nft).map(([slug, address]) => load(`nft.${slug}`, address, "GameNFT")),
  ]);
}

export async function loadToken({ token }: DeploymentRecord): Promise<NamedContract> {
  return { name: "token", address: token, abi: (await loadArtifact("RewardToken")).abi as Abi };
}

/** Arguments as text: a list as `[…]`, a struct as `(…)` with its values in order. */
export const formatArguments = (args: readonly unknown[]): string => args.map(formatArgument).join(", ");

function formatArgument(value: unknown): string {
  if (Array.isArray(value)) return `[${formatArguments(value)}]`;
  if (typeof value === "object" && value !== null) return `(${formatArguments(Object.values(value))})`;
  return String(value);
}

/** `functionName(arg, …)`, as text. */
export const formatCall = ({ contract, functionName, args }: AdminCall): string =>
  `${contract.name}.${functionName}(${formatArguments(args)})`;

/** Who may make a call with a power; null if one call cannot tell. */
export async function readHolder(client: PublicClient, call: AdminCall, power: Power): Promise<Address | null> {
  const contract = { address: call.contract.address, abi: ACCESS_CONTROL_ABI } as const;
  if (power === "admin") return client.readContract({ ...contract, functionName: "defaultAdmin" });
  if (power === "pendingAdmin")
    return (await client.readContract({ ...contract, functionName: "pendingDefaultAdmin" }))[0];
  return null;
}

/** Whether an account has one of the powers for a call. */
export async function mayCall(client: PublicClient, call: AdminCall, account: Address): Promise<boolean> {
  const contract = { address: call.contract.address, abi: ACCESS_CONTROL_ABI } as const;
  const hasRole = (role: Hex, holder: Address): Promise<boolean> =>
    client.readContract({ ...contract, functionName: "hasRole", args: [role, holder] });
  for (const power of call.powers) {
    if (power === "token") return true;
    if (power === "guardian") {
      const role = await client.readContract({ ...contract, functionName: "GUARDIAN_ROLE" });
      if (await hasRole(role, account)) return true;
    } else if (power === "proposer" || power === "executor") {
      const role = keccak256(stringToHex(`${power.toUpperCase()}_ROLE`));
      if (await hasRole(role, account)) return true;
      // A role of the zero address belongs to everyone.
      if (power === "executor" && (await hasRole(role, zeroAddress))) return true;
    } else if ((await readHolder(client, call, power))?.toLowerCase() === account.toLowerCase()) return true;
  }
  return false;
}

/** A contract's error in Solidity's notation; null if the data is none of its errors. */
export function decodeRevert(abi: Abi, data: Hex): string | null {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi, data });
    return `${errorName}(${(args as readonly unknown[]).map(String).join(", ")})`;
  } catch {
    return null;
  }
}
