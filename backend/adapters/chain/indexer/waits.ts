import type { Clock } from "../../../ports/system.ts";
import { resumeInTurns } from "../../system/turns.ts";

/** Waits for a poll that began after the wait. */
interface PollWaiter {
  hasBegun: boolean;
  readonly finish: (isIndexed: boolean) => void;
}

/** Requests that wait for the end of a poll that starts after their call. */
export class PollWaits {
  readonly #clock: Pick<Clock, "after">;
  readonly #waiters = new Set<PollWaiter>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Resolves to the result of the poll, or to false after `timeoutMs`. */
  wait(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: PollWaiter = {
        hasBegun: false,
        finish: (isIndexed) => {
          this.#waiters.delete(waiter);
          cancel();
          resolve(isIndexed);
        },
      };
      const cancel = this.#clock.after(timeoutMs, () => waiter.finish(false));
      this.#waiters.add(waiter);
    });
  }

  /** A poll starts: current waiters wait for its end. */
  begin(): void {
    for (const waiter of this.#waiters) waiter.hasBegun = true;
  }

  /** The poll ended. Releases a few of the waiting callers in each turn of the event loop. */
  finish(isIndexed: boolean): void {
    for (const waiter of this.#waiters) {
      if (!waiter.hasBegun) continue;
      this.#waiters.delete(waiter);
      resumeInTurns(() => waiter.finish(isIndexed));
    }
  }

  /** No more polls will follow. */
  stop(): void {
    for (const waiter of this.#waiters) waiter.finish(false);
  }
}

/** Requests that wait until a condition holds; `check` evaluates all of them again. */
export class ConditionWaits {
  readonly #clock: Pick<Clock, "after">;
  readonly #checks = new Set<() => void>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Resolves to true once the condition holds, to false after `timeoutMs`. */
  wait(isMet: () => boolean, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      if (isMet()) return resolve(true);
      const finish = (result: boolean): void => {
        this.#checks.delete(check);
        cancel();
        resolve(result);
      };
      const check = (): void => {
        if (isMet()) finish(true);
      };
      const cancel = this.#clock.after(timeoutMs, () => finish(false));
      this.#checks.add(check);
    });
  }

  check(): void {
    for (const check of this.#checks) check();
  }
}
