/** Checks that the work of a round was done. */

/** The work that an observer has counted, and the expected work. */
export interface Count {
  /** Such as "frames received". */
  readonly what: string;
  readonly done: number;
  readonly expected: number;
  /** The share that may be missing, such as messages in flight when a window ends. Default: 0. */
  readonly tolerance?: number;
  /** The share by which the count may be too high. Default: `tolerance`. */
  readonly excess?: number;
}

/** Finds the first count that is too low or too high; null if all are right. */
export function findMissing(counts: readonly Count[]): string | null {
  for (const { what, done, expected, tolerance = 0, excess = tolerance } of counts) {
    if (!(expected > 0)) return `nothing expected: ${what}`;
    // Negated, so that NaN counts as a fault.
    if (!(done >= expected * (1 - tolerance) && done <= expected * (1 + excess)))
      return `${done} of ${Math.round(expected)} ${what}`;
  }
  return null;
}
