/** Work in short steps: one in each turn of the event loop, so that ticks that are due run in between, or all at once. */
export class Steps {
  readonly #steps: Iterator<void>;
  #failure: { readonly error: unknown } | null = null;

  constructor(steps: Iterator<void>) {
    this.#steps = steps;
  }

  /** Runs all remaining steps, each only once. Throws the error of a step, also on later calls. */
  finish(): void {
    while (this.#takeOne());
  }

  /** Takes one step now and one in each turn that follows. */
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
