/** Cached results of views, kept as long as they cannot change: a backend reads most of them again at every block. */
import { decodeAbiParameters, type Hex } from "viem";
import { encodeArguments } from "../../../domain/typed-data/encode-arguments.ts";
import type { Contracts } from "./contracts.ts";
import { ModelRevert } from "./encoding.ts";
import { keep } from "./keep.ts";
import type { State } from "./state.ts";
import { findDependence, isTimeless, readView, type ViewContext } from "./views.ts";

/** Multicall3's function, which the service runs without a contract: its code precedes the call in the data. */
const AGGREGATE_SELECTOR = "82ad56cb";
const CALL_TUPLE = [
  {
    type: "tuple[]",
    components: [
      { name: "target", type: "address" },
      { name: "allowFailure", type: "bool" },
      { name: "callData", type: "bytes" },
    ],
  },
] as const;
const RESULT_TUPLE = [
  {
    type: "tuple[]",
    components: [
      { name: "success", type: "bool" },
      { name: "returnData", type: "bytes" },
    ],
  },
] as const;

interface Aggregate {
  readonly calls: readonly { readonly to: string; readonly data: Hex }[];
  /** Whether its result changes only with the state of the block. */
  readonly isTimeless: boolean;
}

/**
 * By their dependency: the contracts, or a state. The state of a block never changes, and belongs to the contracts of
 * one chain.
 */
const resultsBy = new WeakMap<Contracts | State, Map<string, Hex | null>>();
const aggregates = new Map<string, Aggregate>();

function resultsOf(owner: Contracts | State): Map<string, Hex | null> {
  const known = resultsBy.get(owner);
  if (known !== undefined) return known;
  const results = new Map<string, Hex | null>();
  resultsBy.set(owner, results);
  return results;
}

/** As `readView`. */
export function readKeptView(data: Hex, context: ViewContext): Hex | null {
  if (!isTimeless(data)) return readView(data, context);
  const owner = findDependence(data) === "nothing" ? context.contracts : context.block.state;
  return keep(resultsOf(owner), `${context.to} ${data}`, () => readView(data, context));
}

function parseAggregate(text: string): Aggregate {
  const [tuples] = decodeAbiParameters(CALL_TUPLE, `0x${text}`);
  const calls = tuples.map(({ target, callData }) => ({ to: target.toLowerCase(), data: callData }));
  return { calls, isTimeless: calls.every(({ data }) => isTimeless(data)) };
}

/** The result of a multicall that consists of views; null for any other data. */
export function readAggregate(data: Hex, context: Omit<ViewContext, "to">): Hex | null {
  const start = data.lastIndexOf(AGGREGATE_SELECTOR);
  if (start === -1) return null;
  const text = data.slice(start + AGGREGATE_SELECTOR.length);
  const aggregate = keep(aggregates, text, () => parseAggregate(text));
  const read = (): Hex => `0x${encodeArguments(RESULT_TUPLE, [readAll(aggregate, context)])}`;
  return aggregate.isTimeless ? keep(resultsOf(context.block.state), `multicall ${text}`, read) : read();
}

const readAll = ({ calls }: Aggregate, context: Omit<ViewContext, "to">) =>
  calls.map(({ to, data }) => {
    try {
      return { success: true, returnData: readKeptView(data, { ...context, to }) ?? ("0x" as const) };
    } catch (error) {
      if (!(error instanceof ModelRevert)) throw error;
      return { success: false, returnData: error.data };
    }
  });
