/** Promises of a bot's file that may never settle. */

/**
 * Waits for a promise. Rejects with `createError` if the process has nothing left to do, so that nothing can settle the
 * promise: Node would end the process without an error.
 */
export function settle<T>(work: Promise<T>, createError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const onIdle = (): void => reject(createError());
    process.once("beforeExit", onIdle);
    work.then(resolve, reject).finally(() => process.off("beforeExit", onIdle));
  });
}
