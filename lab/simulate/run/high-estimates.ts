/** Estimates of more gas than the operator may sign: as a number, or as the error of a node that runs out of gas. */
import type { Answer } from "../../../testing/chaos/answers.ts";
import { toQuantity } from "../chain/chain.ts";
import { mark } from "./coverage.ts";
import type { Fault } from "./faults.ts";

const HIGH_GAS = 10_000_000;
const OUT_OF_GAS = { code: -32_000, message: "gas required exceeds allowance (30000000)" };

export class HighEstimates {
  /** Whether each of the next ones is an error. */
  #next: readonly boolean[] = [];
  /** How many there were. */
  count = 0;

  plan(fault: Fault): void {
    if (fault.kind !== "estimate too high") return;
    this.#next = [...this.#next, ...Array.from({ length: fault.count }, () => fault.isError === true)];
  }

  reset(): void {
    this.#next = [];
  }

  /** The wrong answer to an estimate; null if none is due. */
  replace({ id }: Answer): Answer | null {
    const [isError, ...others] = this.#next;
    if (isError === undefined) return null;
    this.#next = others;
    this.count += 1;
    mark("fault", "estimate too high");
    return isError ? { id, error: OUT_OF_GAS } : { id, result: toQuantity(HIGH_GAS) };
  }
}
