/** What a drill is. */

export interface Drill {
  readonly id: string;
  readonly what: string;
  /** The failures that it injects. */
  readonly faults: string;
  /** Files of tests, below test/. */
  readonly files: readonly string[];
  /** The part of the load that `--ci` runs; 0: none, because of its length or because CI has another command for it. */
  readonly ciShare: number;
  /** The safeguard that `--self-test` removes; null where none can be removed by a switch. */
  readonly planted: string | null;
}
