/** The most calls in one request of the connection for large batches: most nodes that have a limit allow 100. */
export const LARGE_BATCH_SIZE = 100;
/** The most transactions in one request: geth keeps 64 of an account above a missing nonce (`txpool.accountqueue`). */
const SIZE_MAX = 64;
/** The size after a start or a failure. More calls than this need the connection for large batches. */
export const SIZE_MIN = 20;

/** After this many accepted batches the limit of a failure is lifted: the node may only have been away. */
const RECOVERY_BATCHES = 50;

/**
 * How many transactions one request to the node may hold. The size doubles after each batch that the node accepts.
 * After a failure it starts again, and stays below the size that failed.
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

  /** True when the failed calls are worth another attempt in smaller batches. */
  onFailed(length: number): boolean {
    this.#acceptedInARow = 0;
    this.#current = SIZE_MIN;
    this.#ceiling = Math.max(SIZE_MIN, Math.min(this.#ceiling, length >> 1));
    return length > SIZE_MIN;
  }
}
