/**
 * Several views of contracts as one `eth_call`, like viem's `multicall` without a contract on the chain. viem looks for
 * each function anew, and for a view that reverts it makes errors that take longer than the rest of a request.
 */
import {
  type Abi,
  type AbiFunction,
  type Address,
  type BaseError,
  createClient,
  custom,
  decodeFunctionResult,
  getContractError,
  type Hex,
  multicall3Abi,
  numberToHex,
  type PublicClient,
  prepareEncodeFunctionData,
  size,
} from "viem";
import { multicall } from "viem/actions";
import { encodeArguments } from "../../../../domain/typed-data/encode-arguments.ts";
import type { CallResult } from "./aggregate.ts";
import { SINGLE_CALL } from "./multicall.ts";

/** A function without overloads, found once with its selector, whose hash takes longer than the encoding of arguments. */
export interface ViewFunction {
  readonly abi: readonly [AbiFunction];
  readonly selector: Hex;
}

/** One view of a contract. */
export interface View {
  readonly address: Address;
  readonly view: ViewFunction;
  readonly args: readonly unknown[];
}

/** By ABI and name: a service that starts, and each round of the audit, ask for the same views. */
const foundViews = new WeakMap<Abi, Map<string, ViewFunction>>();

export function findView(abi: Abi, functionName: string): ViewFunction {
  const found = foundViews.get(abi) ?? new Map<string, ViewFunction>();
  foundViews.set(abi, found);
  const known = found.get(functionName);
  if (known !== undefined) return known;
  const prepared = prepareEncodeFunctionData({ abi, functionName });
  const view = { abi: prepared.abi as unknown as readonly [AbiFunction], selector: prepared.functionName };
  found.set(functionName, view);
  return view;
}

const encode = ({ abi: [{ inputs }], selector }: ViewFunction, args: readonly unknown[]): Hex =>
  `${selector}${encodeArguments(inputs, args)}`;

const AGGREGATE = findView(multicall3Abi as Abi, "aggregate3");
/** The call data of `aggregate3([])` as a parameter: its length, and selector and two words padded to three words. */
const NO_VIEWS_BYTES = 32 + 96;

let codeOfMulticall: Promise<Hex> | null = null;

/** The code that deploys Multicall3 and calls it, without the call's data. viem has it only inside of its own calls. */
async function readCodeOfMulticall(): Promise<Hex> {
  let data: Hex = "0x";
  const transport = custom({
    request: async ({ params }: { readonly params: readonly [{ readonly data: Hex }] }) => {
      data = params[0].data;
      return "0x";
    },
  });
  await multicall(createClient({ transport }), { ...SINGLE_CALL, contracts: [] });
  return data.slice(0, -2 * NO_VIEWS_BYTES) as Hex;
}

/** The data of one call, to no contract, that reads all these views. */
export async function encodeViews(views: readonly View[]): Promise<Hex> {
  codeOfMulticall ??= readCodeOfMulticall();
  const code = await codeOfMulticall;
  const calls = views.map(({ address, view, args }) => ({
    target: address,
    allowFailure: true,
    callData: encode(view, args),
  }));
  const data = encode(AGGREGATE, [calls]);
  const length = size(data);
  const padding = "00".repeat((32 - (length % 32)) % 32);
  return `${code}${numberToHex(length, { size: 32 }).slice(2)}${data.slice(2)}${padding}`;
}

const toContractError = (error: unknown, { address, view, args }: View): Error =>
  getContractError(error as BaseError, { abi: view.abi as Abi, address, args, functionName: view.abi[0].name });

/** The value of a view; null where its contract reverts. Throws viem's error where there is no contract. */
export function decodeView(view: View, { success, returnData }: CallResult): unknown {
  if (!success) return null;
  try {
    return decodeFunctionResult({ abi: view.view.abi as Abi, data: returnData });
  } catch (error) {
    throw toContractError(error, view);
  }
}

/** One view by a call of its own, like viem's `readContract`, which hashes the function's signature at every call. */
export async function readView(client: PublicClient, view: View): Promise<unknown> {
  const data = encode(view.view, view.args);
  try {
    const { data: returnData = "0x" } = await client.call({ to: view.address, data });
    return decodeFunctionResult({ abi: view.view.abi as Abi, data: returnData });
  } catch (error) {
    throw toContractError(error, view);
  }
}
