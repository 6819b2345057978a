/** What a drill is. */

export interface Drill {
  readonly id: string;
  readonly what: string;
  /** The failures that it injects. */
  readonly faults: string;
  /** Files of tests, below test/. */
  readonly files: readonly string[];
  /** The part of the load that `--ci` runs, 0 to 1; 0 if the drill is too long or CI runs it by another command. */
  readonly ciShare: number;
  /** The fault of `--self-test`: a switch of the drill, or one of `DRILL_FAULTS`. */
  readonly injected: string;
}
