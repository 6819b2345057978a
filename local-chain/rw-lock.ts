/** Many readers or one writer; writers run in order. Readers wait while a writer runs. */
export class RwLock {
  #writing: Promise<unknown> | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #readers = 0;
  #notifyWriter: (() => void) | null = null;

  async read<T>(run: () => Promise<T>): Promise<T> {
    while (this.#writing !== null) await this.#writing;
    this.#readers += 1;
    try {
      return await run();
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) this.#notifyWriter?.();
    }
  }

  write<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => this.#runWriter(run));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #runWriter<T>(run: () => Promise<T>): Promise<T> {
    let release = (): void => undefined;
    this.#writing = new Promise<void>((resolve) => {
      release = resolve;
    });
    try {
      if (this.#readers > 0) {
        await new Promise<void>((resolve) => {
          this.#notifyWriter = resolve;
        });
      }
      return await run();
    } finally {
      this.#notifyWriter = null;
      this.#writing = null;
      release();
    }
  }
}
