/** Work in short steps: one per turn of the event loop, so that due ticks run in between, or all at once. */
export class Steps {
  readonly #steps: Iterator<void>;
  #failure: { readonly error: unknown } | null = null;

  constructor(steps: Iterator<void>) {
    this.#steps = steps;
  }

  /** Runs all remaining steps, each only once. Rethrows a step's error, also on later calls. */
  finish(): void {
    while (this.#takeOne());
  }

  /** Runs one step now and one in each following turn. */
  spread(): void {
    if (this.#takeOne()) setImmediate(() => this.spread());
  }

  /** False after the last step. */
  #takeOne(): boolean {
    if (this.#failure !== null) throw this.#failure.error;
    try {
      return !this.#steps.next().done;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
