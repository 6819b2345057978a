import {
  type ContractFunctionParameters,
  createPublicClient,
  custom,
  type Hex,
  type MulticallReturnType,
  type PublicClient,
} from "viem";
import { SINGLE_CALL } from "./multicall.ts";

type Views = readonly ContractFunctionParameters[];

/** viem's multicall with this answer instead of a node's; `onRequest` is called with what it asks for. */
function multicall<V extends Views>(views: V, answer: Hex, onRequest: (data: Hex) => void = () => undefined) {
  const request = async ({ params }: { readonly params: readonly [{ readonly data: Hex }] }): Promise<Hex> => {
    onRequest(params[0].data);
    return answer;
  };
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
  const contracts: Views = views;
  const reading: Promise<unknown> = client.multicall({ ...SINGLE_CALL, allowFailure: false, contracts });
  return reading as Promise<MulticallReturnType<V, false>>;
}

/** The data of the multicall's `eth_call`. */
async function encode(views: Views): Promise<Hex> {
  let data: Hex = "0x";
  // The empty answer makes it fail.
  await multicall(views, "0x", (asked) => {
    data = asked;
  }).catch(() => undefined);
  return data;
}

/**
 * Views whose arguments do not change, read together in one `eth_call`, again and again: they are encoded once, and
 * decoded where the node's answer differs from the last one. viem would do both each time, which takes longer than all
 * the rest of a poll.
 */
export class PreparedViews<const V extends Views> {
  readonly #views: V;
  #data: Promise<Hex> | null = null;
  #last: { readonly answer: Hex; readonly values: Promise<MulticallReturnType<V, false>> } | null = null;

  constructor(views: V) {
    this.#views = views;
  }

  /** The values after a block, in the order of the views. Throws viem's errors, as a multicall does. */
  async read(client: PublicClient, blockNumber: bigint): Promise<MulticallReturnType<V, false>> {
    this.#data ??= encode(this.#views);
    const { data: answer = "0x" } = await client.call({ data: await this.#data, blockNumber });
    if (this.#last?.answer !== answer) this.#last = { answer, values: multicall(this.#views, answer) };
    return await this.#last.values;
  }
}
