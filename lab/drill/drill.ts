/** The type of a drill. */

export interface Drill {
  readonly id: string;
  readonly what: string;
  /** The faults that it injects. */
  readonly faults: string;
  /** The test files, below test/. */
  readonly files: readonly string[];
  /** The part of the load that `--ci` runs, 0 to 1; 0 if the drill is too long or CI runs it by another command. */
  readonly ciShare: number;
  /** The fault of `--self-test`: a switch of the drill, or one of `DRILL_FAULTS`. */
  readonly injected: string;
}
