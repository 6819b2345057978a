import { NODE_LIMITS } from "../../../domain/limits/limits.ts";
import type { Clock } from "../../ports/system.ts";
import { createUnavailableError } from "./rpc-errors.ts";

interface Address {
  running: number;
  /** Each function starts a waiting call. */
  readonly waiting: Set<() => void>;
}

/**
 * Limits concurrent calls to the node by callers without an agent identity, in total and per IP address. Further calls
 * wait, and addresses take turns.
 */
export class GuestQuestions {
  readonly #clock: Pick<Clock, "after">;
  /** Addresses with calls; the one whose turn is next comes first. */
  readonly #addresses = new Map<string, Address>();
  #running = 0;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Throws `CHAIN_UNAVAILABLE` if the call's turn does not come within `waitMs`. */
  async run<T>(ip: string, work: () => Promise<T>, waitMs: number): Promise<T> {
    const address = this.#addresses.get(ip) ?? { running: 0, waiting: new Set() };
    this.#addresses.set(ip, address);
    await this.#waitForTurn(address, waitMs);
    try {
      return await work();
    } finally {
      address.running -= 1;
      this.#running -= 1;
      if (address.running === 0 && address.waiting.size === 0) this.#addresses.delete(ip);
      this.#beginNext();
    }
  }

  #waitForTurn(address: Address, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.#clock.after(waitMs, () => {
        address.waiting.delete(begin);
        reject(createUnavailableError("too many callers without an agent identity wait for it"));
      });
      address.waiting.add(begin);
      this.#beginNext();
    });
  }

  #beginNext(): void {
    // safeguard: bound-guest-questions
    if (this.#running >= NODE_LIMITS.guestsInAll) return;
    for (const [ip, address] of this.#addresses) {
      const [begin] = address.waiting;
      if (begin === undefined || address.running >= NODE_LIMITS.guestsPerIp) continue;
      address.waiting.delete(begin);
      address.running += 1;
      this.#running += 1;
      // The address moves to the end of the line.
      this.#addresses.delete(ip);
      this.#addresses.set(ip, address);
      begin();
      return;
    }
  }
}
