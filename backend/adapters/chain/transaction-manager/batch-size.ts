/** The maximum number of calls per request on the connection for large batches: most nodes with a limit allow 100. */
export const LARGE_BATCH_SIZE = 100;
/**
 * The maximum number of transactions per request: geth keeps 64 of an account above a missing nonce
 * (`txpool.accountqueue`).
 */
const SIZE_MAX = 64;
/** The size after a start or a failure. More calls require the connection for large batches. */
export const SIZE_MIN = 20;

/** After this many accepted batches the limit set by a failure is lifted: the node may only have been unavailable. */
const RECOVERY_BATCHES = 50;

/**
 * How many transactions one request to the node may hold. The size doubles after each accepted batch. After a failure
 * it is reset, and stays below the size that failed.
 */
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

  /** True if the failed calls should be sent again in smaller batches. */
  onFailed(length: number): boolean {
    this.#acceptedInARow = 0;
    this.#current = SIZE_MIN;
    this.#ceiling = Math.max(SIZE_MIN, Math.min(this.#ceiling, length >> 1));
    return length > SIZE_MIN;
  }
}
