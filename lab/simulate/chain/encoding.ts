/** ABI encoding for the chain model, with precomputed tables: viem would hash every signature at every call. */
import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  decodeAbiParameters,
  encodeErrorResult,
  type Hex,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { encodeArguments } from "../../../domain/typed-data/encode-arguments.ts";
import { errorsAbi } from "../../../domain/typed-data/errors-abi.ts";

/** A contract's error, as it leaves the call. */
export class ModelRevert extends Error {
  readonly errorName: string;
  readonly data: Hex;

  constructor(errorName: string, args: readonly unknown[] = []) {
    super(`${errorName}(${args.map(String).join(", ")})`);
    this.errorName = errorName;
    this.data = encodeErrorResult({ abi: errorsAbi as Abi, errorName, args });
  }
}

/** An event as the model's contracts emit it. */
export interface ModelEvent {
  readonly address: Hex;
  readonly name: string;
  readonly topics: readonly [Hex, ...Hex[]];
  readonly data: Hex;
}

export const indexFunctions = (abis: readonly Abi[]): ReadonlyMap<string, AbiFunction> =>
  new Map(
    abis.flatMap((abi) =>
      abi.flatMap((item) => (item.type === "function" ? [[toFunctionSelector(item), item] as const] : [])),
    ),
  );

export const decodeArguments = (inputs: readonly AbiParameter[], data: Hex): readonly unknown[] =>
  inputs.length === 0 ? [] : decodeAbiParameters(inputs, `0x${data.slice(10)}`);

const events = new Map<Abi, Map<string, { readonly event: AbiEvent; readonly selector: Hex }>>();

function findEvent(abi: Abi, name: string) {
  let byName = events.get(abi);
  if (byName === undefined) {
    const found = abi.filter((item) => item.type === "event") as AbiEvent[];
    byName = new Map(found.map((event) => [event.name, { event, selector: toEventSelector(event) }]));
    events.set(abi, byName);
  }
  return byName.get(name)!;
}

/** `args`: in the order of the event's parameters. */
export function encodeEvent(abi: Abi, address: Hex, name: string, args: readonly unknown[]): ModelEvent {
  const { event, selector } = findEvent(abi, name);
  const entries = event.inputs.map((input, index) => ({ input, value: args[index] }));
  const encode = (some: typeof entries): Hex =>
    `0x${encodeArguments(
      some.map(({ input }) => input),
      some.map(({ value }) => value),
    )}`;
  const topics = entries.filter(({ input }) => input.indexed).map((entry) => encode([entry]));
  const data = encode(entries.filter(({ input }) => !input.indexed));
  return { address, name, topics: [selector, ...topics], data };
}
