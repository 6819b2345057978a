/** Replays a recorded sequence on the chain model. */
import type { Address, Hex } from "viem";
import { Random } from "../../../testing/random.ts";
import { Chain, type MinedTransaction } from "../chain/chain.ts";
import { Contracts, type ModelContracts } from "../chain/contracts.ts";
import { ModelRevert } from "../chain/encoding.ts";
import { readKeptView } from "../chain/kept-views.ts";
import { createState } from "../chain/state.ts";
import type { Recording } from "./record.ts";

const toText = (outcome: { readonly revert: Hex | null; readonly events: readonly unknown[] }): string =>
  JSON.stringify(outcome);

function toOutcome({ revert, events }: MinedTransaction) {
  const plain = events.map(({ address, topics, data }) => ({ address: address.toLowerCase(), topics, data }));
  return { revert: revert?.data ?? null, events: plain };
}

function read(chain: Chain, to: Address, data: Hex): Hex | null {
  const block = chain.head;
  try {
    return readKeptView(data, { contracts: chain.contracts, block, time: BigInt(block.time), to: to.toLowerCase() });
  } catch (error) {
    if (error instanceof ModelRevert) return error.data;
    throw error;
  }
}

/** The first difference between the model and the recording, or null. */
export function findDifference(config: ModelContracts, { seed, float, steps }: Recording): string | null {
  const state = createState(new Map([[config.deployment.rewards.toLowerCase(), float]]));
  const chain = new Chain(new Contracts(config), new Random(seed), { time: steps[0]!.seconds - 1, state });
  for (const [index, { what, message, seconds, outcome, views }] of steps.entries()) {
    const place = `seed ${seed}, call ${index} (${what} at ${seconds})`;
    chain.sendCall(message.from, message.to, message.data);
    const modeled = toOutcome(chain.mine(seconds).transactions[0]!);
    if (toText(modeled) !== toText(outcome))
      return `${place}: the contracts do ${toText(outcome)}, the model ${toText(modeled)}`;
    for (const { name, to, data, result } of views) {
      const value = read(chain, to, data);
      if (value !== result) return `${place}: ${name} is ${result} in the contracts and ${value} in the model`;
    }
  }
  return null;
}
