import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type PublicClient,
  parseAbi,
} from "viem";

/** Code of a plain key that delegates to a contract (EIP-7702). */
const DELEGATION_PREFIX = "0xef0100";
const PROBE_ABI = parseAbi([
  "function getThreshold() view returns (uint256)",
  "function getMinDelay() view returns (uint256)",
]);

/** `contract`: neither a Safe nor a timelock, so it may be unable to act. */
export type AccountKind = "key" | "safe" | "timelock" | "contract";

const isContractError = (cause: unknown): boolean =>
  cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;

/** A contract's answer; null if it has no such function. Throws if the node does not answer. */
const probe = (client: PublicClient, address: Address, functionName: "getThreshold" | "getMinDelay") =>
  client.readContract({ address, abi: PROBE_ABI, functionName }).catch((error: unknown) => {
    if (error instanceof BaseError && error.walk(isContractError) !== null) return null;
    throw error;
  });

/** Whether an account is a key, a Safe (`getThreshold`) or an OpenZeppelin TimelockController (`getMinDelay`). */
export async function getAccountKind(client: PublicClient, address: Address): Promise<AccountKind> {
  const code = await client.getCode({ address });
  if (code === undefined || code.startsWith(DELEGATION_PREFIX)) return "key";
  const [threshold, minDelay] = await Promise.all([
    probe(client, address, "getThreshold"),
    probe(client, address, "getMinDelay"),
  ]);
  if (threshold !== null && threshold > 0n) return "safe";
  return minDelay === null ? "contract" : "timelock";
}
