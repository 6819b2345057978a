/** Runs one task at a time, in the order of the calls. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all tasks so far are done. */
  async waitUntilIdle(): Promise<void> {
    await this.#last;
  }
}
