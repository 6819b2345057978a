/** A run that ended without a point: if answers are late, a bot may lose its lives before the first one. */
export class NoPointsError extends Error {
  override readonly name = "NoPointsError";

  /** `end`: how the run ended, in the service's or the program's own words. */
  constructor(end: string) {
    super(`ended without a point (${end})`);
  }
}

/** A run that ended before its test: if answers are late, a bot may lose its lives early. */
export class LivesLostError extends Error {
  override readonly name = "LivesLostError";

  constructor() {
    super("ended before the test (lives_lost)");
  }
}

type Report = (line: string) => void;

/**
 * Repeats work that throws such an error, until the test's time limit. A timeout does not show the reason, so each
 * repeated run is reported as well.
 */
async function repeat<T>(
  run: () => Promise<T>,
  Repeated: typeof NoPointsError | typeof LivesLostError,
  report: Report,
): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Repeated)) throw error;
      report(`run ${runs} ${error.message}; another one follows`);
    }
  }
}

/** Repeats work that throws `NoPointsError`, until a run has points. */
export const untilPoints = <T>(run: () => Promise<T>, report: Report = console.warn): Promise<T> =>
  repeat(run, NoPointsError, report);

/** Repeats work that throws `LivesLostError`, until a run lasts as long as its test. */
export const untilItLasts = <T>(run: () => Promise<T>, report: Report = console.warn): Promise<T> =>
  repeat(run, LivesLostError, report);
