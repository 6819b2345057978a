/** Payouts of many wallets at once, more than the transaction manager prepares at the same time. */
import { type Address, type Hex, toFunctionSelector } from "viem";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { ChainWriter } from "../../../backend/ports/transactions.ts";
import { runAs, type SimulatedProcess } from "../world/event-loop.ts";
import { mark } from "./coverage.ts";
import { toKey } from "./fixtures.ts";

const PAYOUT = toFunctionSelector("payout(address)");

const toCall = (to: Address, index: number) => {
  const wallet = toKey(`wallet at once ${index}`).slice(2, 42);
  const data: Hex = `${PAYOUT}${wallet.padStart(64, "0")}`;
  return { kind: "payout", key: `at once ${index}`, to, data };
};

/** The calls of a process without an answer. */
export interface OpenCalls {
  readonly process: SimulatedProcess;
  count: number;
}

interface Surroundings {
  readonly deployment: Deployment;
  readonly openCalls: OpenCalls[];
  readonly backends: {
    readonly running: readonly {
      readonly backend: {
        readonly process: SimulatedProcess;
        readonly parts: { readonly chain: { readonly writer: Pick<ChainWriter, "submit"> } };
      };
    }[];
  };
}

/** The wallets have no points, so that the contract rejects each call. */
export function callAtOnce(world: Surroundings, count: number): void {
  const backend = world.backends.running.at(-1)?.backend;
  if (backend === undefined) return;
  mark("fault", "calls at once");
  const { process, parts } = backend;
  const open = { process, count };
  world.openCalls.push(open);
  const end = (): void => {
    open.count -= 1;
  };
  runAs(process, () => {
    for (let index = 0; index < count; index++)
      parts.chain.writer.submit(toCall(world.deployment.rewards, index)).then(end, end);
  });
}

/** Null if each call has an answer, except those of processes that have ended. */
export function findOpenCall({ openCalls }: Pick<Surroundings, "openCalls">): string | null {
  const open = openCalls.find(({ process, count }) => process.isAlive && count > 0);
  return open === undefined ? null : `${open.count} calls of ${open.process.name} wait`;
}
