import type { Abi, ContractFunctionParameters, Hex, MulticallReturnType, PublicClient } from "viem";
import { type CallResult, decodeAggregate } from "./aggregate.ts";
import { decodeView, encodeViews, findView, type View } from "./views.ts";

type Views = readonly ContractFunctionParameters[];

const toView = ({ address, abi, functionName, args = [] }: ContractFunctionParameters): View => ({
  address,
  view: findView(abi as Abi, functionName),
  args,
});

function decode(view: View, result: CallResult): unknown {
  if (result.success) return decodeView(view, result);
  const [{ name }] = view.view.abi;
  throw new Error(`expected ${view.address} to answer ${name}(), it reverts; compare the addresses of the deployment`);
}

/**
 * Views that are read together in one `eth_call`. Where they are read again, they are encoded once, and decoded only
 * where the node's answer differs from the last one.
 */
export class PreparedViews<const V extends Views> {
  readonly #views: readonly View[];
  #data: Promise<Hex> | null = null;
  #last: { readonly answer: Hex; readonly values: MulticallReturnType<V, false> } | null = null;

  constructor(views: V) {
    this.#views = views.map(toView);
  }

  /** The values after a block, in the order of the views. Throws where one of the contracts does not answer its view. */
  async read(client: PublicClient, block: bigint | "pending"): Promise<MulticallReturnType<V, false>> {
    this.#data ??= encodeViews(this.#views);
    const target = block === "pending" ? { blockTag: block } : { blockNumber: block };
    const { data: answer = "0x" } = await client.call({ data: await this.#data, ...target });
    if (this.#last?.answer !== answer) this.#last = { answer, values: this.#decodeAll(answer) };
    return this.#last.values;
  }

  #decodeAll(answer: Hex): MulticallReturnType<V, false> {
    const results = decodeAggregate(answer, this.#views.length);
    return this.#views.map((view, n) => decode(view, results[n]!)) as MulticallReturnType<V, false>;
  }
}
