import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../ports/system.ts";
import { GuestQuestions } from "./guest-questions.ts";

interface Account {
  /** Key of the caller's address. */
  readonly ip: string;
  /** Null for players, and while addresses are not limited. */
  guests: GuestQuestions | null;
  spentMs: number;
  /** Calls in progress; the time of simultaneous calls counts once. */
  waiting: number;
  sinceMs: number;
  isOpen: boolean;
}

/** The time that each request may still wait for the chain's node. Calls outside of a request are not limited. */
export class RequestBudget {
  readonly budgetMs: number;
  readonly #accounts = new AsyncLocalStorage<Account | null>();
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #guests: GuestQuestions | null;

  /** `budgetMs`: how long one request may wait in total. `limitsOn`: whether the calls of guests are limited. */
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

  /** Runs work that a request starts but that does not count against its budget. */
  runOutside<T>(work: () => T): T {
    return this.#accounts.run(null, work);
  }

  /** The current request's remaining time, at least 0 ms; null outside of a request. */
  remainingMs(): number | null {
    const account = this.#accounts.getStore();
    if (!account?.isOpen) return null;
    const runningMs = account.waiting === 0 ? 0 : this.#clock.monotonicMs() - account.sinceMs;
    return Math.max(0, this.budgetMs - account.spentMs - runningMs);
  }

  /** Marks the current caller as a player: its calls do not wait behind those of guests. */
  admitPlayer(): void {
    const account = this.#accounts.getStore();
    if (account?.isOpen) account.guests = null;
  }

  /** Calls the node. Throws `CHAIN_UNAVAILABLE` if too many guests are waiting. */
  ask<T>(work: () => Promise<T>): Promise<T> {
    const account = this.#accounts.getStore();
    const guests = account?.isOpen ? account.guests : null;
    if (!account || guests === null) return this.spend(work);
    const remainingMs = this.remainingMs() ?? this.budgetMs;
    return this.spend(() => guests.run(account.ip, work, remainingMs));
  }

  /** Charges the time that the work takes. */
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
