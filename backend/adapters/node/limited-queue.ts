/** Runs at most `limit` tasks at a time, and starts them in the order of the calls. */
export class LimitedQueue {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    else await new Promise<void>((start) => this.#waiting.push(start));
    try {
      return await task();
    } finally {
      // A waiting task takes this one's place.
      const startNext = this.#waiting.shift();
      if (startNext === undefined) this.#running -= 1;
      else startNext();
    }
  }
}
