/** Time as a service: wall clock for expiry, monotonic for intervals, timers that tests can drive. */
export interface Clock {
  /** Milliseconds since 1970, may jump. */
  nowMs(): number;
  /** Milliseconds since some start, never goes back. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs` of monotonic time; the returned function cancels. */
  after(delayMs: number, run: () => void): () => void;
}
