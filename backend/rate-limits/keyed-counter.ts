/** Counts what each key has open. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();

  /** Keys that have something open. */
  get size(): number {
    return this.#counts.size;
  }

  get(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string): void {
    this.#counts.set(key, this.get(key) + 1);
  }

  remove(key: string): void {
    const count = this.get(key) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
