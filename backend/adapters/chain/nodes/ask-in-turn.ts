import type { Clock } from "../../../ports/system.ts";

export interface TurnOptions {
  readonly clock: Pick<Clock, "after">;
  /** How long one is waited for before the next one is asked beside it. */
  readonly patienceMs: number;
  /** True for an error that is the answer: no other one is asked. */
  readonly isAnswer: (error: unknown) => boolean;
}

/**
 * Asks one after the other, and gives the first answer. The next one is asked at once after a failure, and beside the
 * earlier ones when they take too long. Throws `AggregateError` with every error when all have failed.
 */
export function askInTurn<T>(
  asks: readonly (() => Promise<T>)[],
  { clock, patienceMs, isAnswer }: TurnOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = [];
    let asked = 0;
    let cancel = (): void => undefined;
    const fail = (error: unknown): void => {
      errors.push(error);
      if (isAnswer(error)) end(() => reject(error));
      else if (errors.length === asks.length) end(() => reject(new AggregateError(errors)));
      else askNext();
    };
    const askNext = (): void => {
      cancel();
      const ask = asks[asked];
      if (ask === undefined) return;
      asked += 1;
      if (asked < asks.length) cancel = clock.after(patienceMs, askNext);
      ask().then((answer) => end(() => resolve(answer)), fail);
    };
    const end = (settle: () => void): void => {
      cancel();
      asked = asks.length;
      settle();
    };
    askNext();
  });
}
