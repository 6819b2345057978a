/** Many readers or one writer; writers in the order they came. Nobody reads what a writer has not finished. */
export class Gate {
  #writing: Promise<unknown> | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #readers = 0;
  #wake: (() => void) | null = null;

  async read<T>(run: () => Promise<T>): Promise<T> {
    while (this.#writing !== null) await this.#writing;
    this.#readers += 1;
    try {
      return await run();
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) this.#wake?.();
    }
  }

  write<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => this.#writeNow(run));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #writeNow<T>(run: () => Promise<T>): Promise<T> {
    let done = (): void => undefined;
    this.#writing = new Promise<void>((resolve) => {
      done = resolve;
    });
    try {
      if (this.#readers > 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      return await run();
    } finally {
      this.#wake = null;
      this.#writing = null;
      done();
    }
  }
}
