/** Calls that a connection for large batches puts into one request: nodes with a limit mostly allow 100. */
export const LARGE_BATCH_SIZE = 100;
/** So many transactions of one account above a missing nonce are kept by geth (`txpool.accountqueue`). */
const SIZE_MAX = 64;
/** Up to so many go over the connection that all other questions use. */
export const SIZE_MIN = 20;

/** So many accepted batches after a rejected one, larger ones are tried again: the node may only have been away. */
const RECOVERY_BATCHES = 50;

/** How many calls one request to the node may hold: doubled from few while the node takes them. */
export class BatchSize {
  #current = SIZE_MIN;
  #ceiling = SIZE_MAX;
  #acceptedInARow = 0;

  get current(): number {
    return this.#current;
  }

  onAccepted(): void {
    this.#acceptedInARow += 1;
    if (this.#acceptedInARow >= RECOVERY_BATCHES) this.#ceiling = SIZE_MAX;
    this.#current = Math.min(this.#ceiling, this.#current * 2);
  }

  /** True when the failed calls are worth another attempt in smaller batches. */
  onFailed(length: number): boolean {
    this.#acceptedInARow = 0;
    this.#current = SIZE_MIN;
    this.#ceiling = Math.max(SIZE_MIN, Math.min(this.#ceiling, length >> 1));
    return length > SIZE_MIN;
  }
}
