/** A run that ended without a point: where answers come late, a bot may lose its lives before the first one. */
export class NoPointsError extends Error {
  override readonly name = "NoPointsError";

  /** `end`: how the run ended, in the service's or the program's own words. */
  constructor(end: string) {
    super(`ended without a point (${end})`);
  }
}

/**
 * Repeats what throws `NoPointsError`, until a run has points; the test's time limit ends that. Its error says only that
 * the time is up, so each run without points is reported as well.
 */
export async function untilPoints<T>(run: () => Promise<T>, report: (line: string) => void = console.warn): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof NoPointsError)) throw error;
      report(`run ${runs} ${error.message}; another one follows`);
    }
  }
}
