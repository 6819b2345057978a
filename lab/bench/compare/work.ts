/** Checks that the work of a round was done. */

/** What was counted by an observer, and what the round should have done. */
export interface Count {
  /** Such as "frames received". */
  readonly what: string;
  readonly done: number;
  readonly expected: number;
  /** The part that may be missing, such as what is under way when a window ends; 0 when left out. */
  readonly tolerance?: number;
  /** The part that may be too much; the same as `tolerance` when left out. */
  readonly excess?: number;
}

/** Finds the first kind of work of which too little or too much was done; null when all is right. */
export function findMissing(counts: readonly Count[]): string | null {
  for (const { what, done, expected, tolerance = 0, excess = tolerance } of counts) {
    if (!(expected > 0)) return `nothing expected: ${what}`;
    // Written so that NaN is a fault.
    if (!(done >= expected * (1 - tolerance) && done <= expected * (1 + excess)))
      return `${done} of ${Math.round(expected)} ${what}`;
  }
  return null;
}
