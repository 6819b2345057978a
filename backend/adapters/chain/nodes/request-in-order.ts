import type { Clock } from "../../../ports/system.ts";

export interface OrderOptions {
  readonly clock: Pick<Clock, "after">;
  /** How long to wait for a response before the next request starts in parallel. */
  readonly patienceMs: number;
  /** True for an error that is a valid answer, which ends the search. */
  readonly isAnswer: (error: unknown) => boolean;
}

/**
 * Tries one request after the other and returns the first answer. Starts the next one at once after a failure, and in
 * parallel when earlier ones take too long. Throws `AggregateError` with every error if all fail.
 */
export function requestInOrder<T>(
  requests: readonly (() => Promise<T>)[],
  { clock, patienceMs, isAnswer }: OrderOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = [];
    let started = 0;
    let cancel = (): void => undefined;
    const fail = (error: unknown): void => {
      errors.push(error);
      if (isAnswer(error)) end(() => reject(error));
      else if (errors.length === requests.length) end(() => reject(new AggregateError(errors)));
      else startNext();
    };
    const startNext = (): void => {
      cancel();
      const request = requests[started];
      if (request === undefined) return;
      started += 1;
      if (started < requests.length) cancel = clock.after(patienceMs, startNext);
      request().then((answer) => end(() => resolve(answer)), fail);
    };
    const end = (settle: () => void): void => {
      cancel();
      started = requests.length;
      settle();
    };
    startNext();
  });
}

/**
 * Runs all requests at once and returns the first two answers, or one if no other follows soon. Throws `AggregateError`
 * with every error if all fail.
 */
export async function requestTwo<T>(
  requests: readonly (() => Promise<T>)[],
  { clock, patienceMs }: Pick<OrderOptions, "clock" | "patienceMs">,
): Promise<readonly T[]> {
  const pending = requests.map(async (request, index) => ({ index, answer: await request() }));
  const first = await Promise.any(pending);
  const others = pending.filter((_, index) => index !== first.index);
  let cancel = (): void => undefined;
  const late = new Promise<null>((resolve) => {
    cancel = clock.after(patienceMs, () => resolve(null));
  });
  const second = await Promise.race([Promise.any(others).catch(() => null), late]);
  cancel();
  return second === null ? [first.answer] : [first.answer, second.answer];
}
