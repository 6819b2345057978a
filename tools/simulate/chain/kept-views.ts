/** Results of views, kept for as long as they cannot change: a backend reads most of them again at every block. */
import { decodeAbiParameters, encodeAbiParameters, type Hex } from "viem";
import { ModelRevert } from "./encoding.ts";
import type { State } from "./state.ts";
import { isTimeless, readView, type ViewContext } from "./views.ts";

/** Multicall3's function, which the service runs without a contract: its code precedes the call in the data. */
const AGGREGATE_SELECTOR = "82ad56cb";
/** The most entries of a table; a full one is emptied, since the first state of all lives keeps its table. */
const KEPT_MAX = 200;
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
  readonly isTimeless: boolean;
}

/** A state is never changed once a block has it, and belongs to the contracts of one chain. */
const resultsByState = new WeakMap<State, Map<string, Hex | null>>();
const aggregates = new Map<string, Aggregate>();

function keep<T>(table: Map<string, T>, key: string, make: () => T): T {
  const known = table.get(key);
  if (known !== undefined) return known;
  const value = make();
  if (table.size === KEPT_MAX) table.clear();
  table.set(key, value);
  return value;
}

function resultsOf(state: State): Map<string, Hex | null> {
  const known = resultsByState.get(state);
  if (known !== undefined) return known;
  const results = new Map<string, Hex | null>();
  resultsByState.set(state, results);
  return results;
}

/** As `readView`. */
export function readKeptView(data: Hex, context: ViewContext): Hex | null {
  if (!isTimeless(data)) return readView(data, context);
  return keep(resultsOf(context.block.state), `${context.to} ${data}`, () => readView(data, context));
}

function parseAggregate(text: string): Aggregate {
  const [tuples] = decodeAbiParameters(CALL_TUPLE, `0x${text}`);
  const calls = tuples.map(({ target, callData }) => ({ to: target.toLowerCase(), data: callData }));
  return { calls, isTimeless: calls.every(({ data }) => isTimeless(data)) };
}

/** The result of a multicall, all of whose calls are views; null where the data is something else. */
export function readAggregate(data: Hex, context: Omit<ViewContext, "to">): Hex | null {
  const start = data.lastIndexOf(AGGREGATE_SELECTOR);
  if (start === -1) return null;
  const text = data.slice(start + AGGREGATE_SELECTOR.length);
  const aggregate = keep(aggregates, text, () => parseAggregate(text));
  const read = (): Hex => encodeAbiParameters(RESULT_TUPLE, [readAll(aggregate, context)]);
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
