import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../ports/system.ts";
import { GuestQuestions } from "./guest-questions.ts";

interface Account {
  /** Key of the caller's address. */
  readonly ip: string;
  /** Null for players, and while addresses are not limited. */
  guests: GuestQuestions | null;
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
  readonly #guests: GuestQuestions | null;

  /** `budgetMs`: how long one request may wait in all. `limitsOn`: whether the questions of guests are bounded. */
  constructor(clock: Pick<Clock, "monotonicMs" | "after">, budgetMs: number, limitsOn: boolean) {
    this.#clock = clock;
    this.budgetMs = budgetMs;
    this.#guests = limitsOn ? new GuestQuestions(clock) : null;
  }

  /**
   * Runs the work of a guest's request from the address `ip`. Work that outlives the request, such as a timer, is not
   * limited.
   */
  async run<T>(ip: string, work: () => Promise<T>): Promise<T> {
    const account: Account = { ip, guests: this.#guests, spentMs: 0, waiting: 0, sinceMs: 0, isOpen: true };
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

  /** Milliseconds that the current request has left, 0 at least; null outside of a request. */
  remainingMs(): number | null {
    const account = this.#accounts.getStore();
    if (!account?.isOpen) return null;
    const runningMs = account.waiting === 0 ? 0 : this.#clock.monotonicMs() - account.sinceMs;
    return Math.max(0, this.budgetMs - account.spentMs - runningMs);
  }

  /** The caller of the current request is a player: its requests do not wait behind those of guests. */
  admitPlayer(): void {
    const account = this.#accounts.getStore();
    if (account?.isOpen) account.guests = null;
  }

  /** Asks the node. Throws `CHAIN_UNAVAILABLE` when too many guests ask it already. */
  ask<T>(work: () => Promise<T>): Promise<T> {
    const account = this.#accounts.getStore();
    const guests = account?.isOpen ? account.guests : null;
    if (!account || guests === null) return this.spend(work);
    const remainingMs = this.remainingMs() ?? this.budgetMs;
    return this.spend(() => guests.run(account.ip, work, remainingMs));
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
