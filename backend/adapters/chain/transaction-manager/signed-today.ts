/** The number of calls that the operator's key has signed in the current UTC day, by all backends that share it. */
import type { Address } from "viem";
import { DAY_MS } from "../../../../domain/time.ts";
import type { TransactionStore } from "../../../ports/store/chain.ts";

/**
 * Reads the day's rows once, and later only those with newer nonces: a day may have millions. Calls must not overlap
 * (the queue of nonces ensures it).
 */
export class SignedToday {
  readonly #store: Pick<TransactionStore, "countSince" | "countBetween">;
  readonly #operator: Address;
  #counted: { readonly day: number; readonly nonce: number; readonly calls: number } | null = null;

  constructor(store: Pick<TransactionStore, "countSince" | "countBetween">, operator: Address) {
    this.#store = store;
    this.#operator = operator;
  }

  /** `lastNonce`: the highest stored one; rows above it are counted by a later call. */
  async count(nowMs: number, lastNonce: number): Promise<number> {
    const day = Math.floor(nowMs / DAY_MS);
    const known = this.#counted?.day === day ? this.#counted : null;
    const calls =
      known === null
        ? await this.#store.countSince(this.#operator, day * DAY_MS, lastNonce)
        : known.calls + (await this.#store.countBetween(this.#operator, known.nonce, lastNonce));
    this.#counted = { day, nonce: lastNonce, calls };
    return calls;
  }
}
