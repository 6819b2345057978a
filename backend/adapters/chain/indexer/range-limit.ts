/** The number of blocks per request for logs, if the node accepts it. */
const RANGE_MAX = 2_000;
/** After this many accepted requests a longer range is tried: the node's limit may have changed. */
const PROBE_AFTER = { min: 16, max: 4_096 } as const;

/**
 * Finds the longest block range that the node accepts in one `eth_getLogs`. Each node reports its limit differently, so
 * the limit is found by bisection between the longest accepted and the shortest rejected range. Longer ranges are tried
 * ever more rarely.
 */
export class RangeLimit {
  #accepted = 0;
  /** The shortest range that counts as rejected. */
  #rejected = RANGE_MAX + 1;
  #acceptedInARow = 0;
  #probeAfter: number = PROBE_AFTER.min;
  #isProbing = false;

  /** The number of blocks to request next. */
  get blocks(): number {
    if (this.#rejected > RANGE_MAX) return RANGE_MAX;
    return Math.max(1, Math.floor((this.#accepted + this.#rejected) / 2));
  }

  accept(blocks: number): void {
    const isLonger = blocks > this.#accepted;
    this.#accepted = Math.max(this.#accepted, blocks);
    const isKnown = this.#rejected <= RANGE_MAX && this.#rejected - this.#accepted <= 1;
    if (isKnown) this.#acceptedInARow += 1;
    if ((this.#isProbing && isLonger) || this.#acceptedInARow >= this.#probeAfter) this.#probe();
  }

  /** False if a single block was rejected: the range cannot be the reason, and the limit is unknown again. */
  reject(blocks: number): boolean {
    const isRange = blocks > 1;
    if (this.#isProbing) this.#probeAfter = Math.min(PROBE_AFTER.max, this.#probeAfter * 2);
    this.#isProbing = false;
    this.#acceptedInARow = 0;
    this.#rejected = isRange ? Math.min(this.#rejected, blocks) : RANGE_MAX + 1;
    if (this.#accepted >= blocks || !isRange) this.#accepted = 0;
    return isRange;
  }

  /** Doubles the next range. */
  #probe(): void {
    this.#isProbing = true;
    this.#acceptedInARow = 0;
    this.#rejected = Math.min(RANGE_MAX + 1, this.#accepted * 3);
  }
}
