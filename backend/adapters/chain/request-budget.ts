import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../ports/system.ts";

interface Account {
  spentMs: number;
  /** Calls that wait at present; simultaneous calls are counted once. */
  waiting: number;
  sinceMs: number;
  isOpen: boolean;
}

/** The time that each request may still wait for the chain's node; calls outside of a request are not limited. */
export class RequestBudget {
  readonly budgetMs: number;
  readonly #accounts = new AsyncLocalStorage<Account | null>();
  readonly #clock: Pick<Clock, "monotonicMs">;

  /** `budgetMs`: how long one request may wait in all. */
  constructor(clock: Pick<Clock, "monotonicMs">, budgetMs: number) {
    this.#clock = clock;
    this.budgetMs = budgetMs;
  }

  /** Runs a request's work. What goes on after it, such as a timer that it has set, is not limited. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const account: Account = { spentMs: 0, waiting: 0, sinceMs: 0, isOpen: true };
    try {
      return await this.#accounts.run(account, work);
    } finally {
      account.isOpen = false;
    }
  }

  /** Runs work that a request starts and that does not belong to it. */
  runOutside<T>(work: () => T): T {
    return this.#accounts.run(null, work);
  }

  /** Milliseconds that the present request has left, 0 at least; null outside of a request. */
  remainingMs(): number | null {
    const account = this.#accounts.getStore();
    if (!account?.isOpen) return null;
    const runningMs = account.waiting === 0 ? 0 : this.#clock.monotonicMs() - account.sinceMs;
    return Math.max(0, this.budgetMs - account.spentMs - runningMs);
  }

  /** Counts the time that the work takes. */
  async spend<T>(work: () => Promise<T>): Promise<T> {
    const account = this.#accounts.getStore();
    if (!account?.isOpen) return work();
    if (account.waiting === 0) account.sinceMs = this.#clock.monotonicMs();
    account.waiting += 1;
    try {
      return await work();
    } finally {
      account.waiting -= 1;
      if (account.waiting === 0) account.spentMs += this.#clock.monotonicMs() - account.sinceMs;
    }
  }
}
