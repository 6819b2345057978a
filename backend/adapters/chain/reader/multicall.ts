/**
 * Reads several views of contracts in one `eth_call` at one block. viem sends the code of Multicall3 with the call, so
 * that the chain does not need that contract.
 */
import {
  CallExecutionError,
  type ContractFunctionExecutionError,
  type ContractFunctionParameters,
  type Hex,
  type MulticallParameters,
  type MulticallResponse,
  type MulticallReturnType,
  type PublicClient,
} from "viem";
import { createUnavailableError, findRevert } from "../rpc-errors.ts";

type Block =
  | { readonly blockNumber: bigint }
  | { readonly blockHash: Hex }
  | { readonly blockTag: "latest" | "pending" };
type Views<V extends readonly unknown[]> = MulticallParameters<V>["contracts"];
type Values<V extends readonly unknown[]> = MulticallReturnType<V, false>;
type OrNull<T extends readonly unknown[]> = { [N in keyof T]: T[N] | null };

/** The error of the call as a whole. If that call reverts, it reveals nothing about the contracts. */
function toCallError(error: ContractFunctionExecutionError): Error {
  const callError = error.walk((cause) => cause instanceof CallExecutionError);
  if (callError === null) return createUnavailableError("it has not returned the values of views");
  return findRevert(callError) === null ? callError : createUnavailableError("it rejects calls of several views");
}

/** The response of each view. Throws if the call as a whole fails. */
export async function callViews(
  client: PublicClient,
  contracts: readonly ContractFunctionParameters[],
  block: Block,
): Promise<readonly MulticallResponse[]> {
  // Keep viem from splitting a large call by size.
  const call = client.multicall({ deployless: true, batchSize: 0, ...block, contracts });
  const responses = await call.catch(() => {
    throw createUnavailableError("it has not returned one value for each view");
  });
  const error = responses[0]?.error as ContractFunctionExecutionError | undefined;
  if (error?.functionName === "aggregate3") throw toCallError(error);
  return responses;
}

/** The value of a view; null if its contract reverted. Throws every other error. */
export function getValue(response: MulticallResponse): unknown {
  if (response.status === "success") return response.result;
  if (findRevert(response.error as Error) !== null) return null;
  throw response.error;
}

/** The values of views in their order; null for each that reverts. */
export async function readEach<const V extends readonly unknown[]>(
  client: PublicClient,
  contracts: Views<V>,
  block: Block,
): Promise<OrNull<Values<V>>> {
  const responses = await callViews(client, contracts as readonly ContractFunctionParameters[], block);
  return responses.map(getValue) as unknown[] as OrNull<Values<V>>;
}

/** The values of views in their order. Throws if one of them reverts. */
export async function readAll<const V extends readonly unknown[]>(
  client: PublicClient,
  contracts: Views<V>,
  block: Block,
): Promise<Values<V>> {
  const values = await readEach(client, contracts, block);
  const missing = (contracts as readonly ContractFunctionParameters[]).find((_, n) => values[n] === null);
  if (missing === undefined) return values as Values<V>;
  const { address, functionName } = missing;
  throw new Error(
    `expected ${address} to answer ${functionName}(), it reverts; compare the addresses of the deployment`,
  );
}
