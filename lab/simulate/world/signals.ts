/** Abort signals of simulated requests. Node's signals take longer than the rest of such a request. */

type Listener = () => void;

/** The part of a signal that `fetch` uses. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: Listener): void;
  removeEventListener(type: "abort", listener: Listener): void;
}

export class SimulatedSignal implements Abortable {
  readonly #listeners = new Set<Listener>();
  readonly #onUnused: () => void;
  #createReason: (() => unknown) | null = null;

  /** `onUnused`: called when the last listener has left. */
  constructor(onUnused: () => void = () => undefined) {
    this.#onUnused = onUnused;
  }

  get aborted(): boolean {
    return this.#createReason !== null;
  }

  get reason(): unknown {
    return this.#createReason?.();
  }

  addEventListener(_: "abort", listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: "abort", listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#onUnused();
  }

  abort(createReason: () => unknown): void {
    if (this.aborted) return;
    this.#createReason = createReason;
    for (const listener of this.#listeners) listener();
  }
}

/** Like `AbortSignal.any`. */
export function joinSignals(signals: readonly Abortable[]): Abortable {
  const joined = new SimulatedSignal();
  for (const signal of signals) {
    const abort = (): void => joined.abort(() => signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  }
  return joined;
}

/** A promise that rejects when the signal aborts. Stop it when nothing waits for it any more. */
export function rejectWhenAborted(signal: Abortable): { readonly promise: Promise<never>; readonly stop: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const listener = (): void => reject(signal.reason);
  if (signal.aborted) listener();
  signal.addEventListener("abort", listener);
  return { promise, stop: () => signal.removeEventListener("abort", listener) };
}
