/** A run that ended without a point: where answers come late, a bot may lose its lives before the first one. */
export class NoPointsError extends Error {
  override readonly name = "NoPointsError";

  constructor() {
    super("the run ended without a point");
  }
}

/** Repeats what throws `NoPointsError`, until a run has points; the test's time limit ends that. */
export async function untilPoints<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof NoPointsError)) throw error;
    }
  }
}
