/** Repeats a short drill that only misses a figure, which other load on the machine can cause. */
import type { DrillResult } from "./run.ts";

export const TRIES = 3;

/** Whether figures were missed, and nothing else failed. */
const isNoisy = ({ verdict, failures }: DrillResult): boolean =>
  verdict === "FAIL" && failures.length > 0 && failures.every(({ isFigure }) => isFigure === true);

/** Runs a drill until it misses no figure, at most `TRIES` times. Other failures are not repeated. */
export function runTries(run: (number: number) => DrillResult): DrillResult {
  let number = 1;
  let result = run(number);
  while (isNoisy(result) && number < TRIES) {
    number += 1;
    result = run(number);
  }
  return result;
}
