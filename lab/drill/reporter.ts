/** Mocha's `spec` reporter, which also writes failures to the file `DRILL_REPORT`, one JSON object per line. */
import { appendFileSync } from "node:fs";
import Mocha from "mocha";
import { getEnvironment } from "../../backend/config/environment.ts";

class DrillReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const { DRILL_REPORT } = getEnvironment();
    if (DRILL_REPORT === undefined) return;
    const write = (line: object): void => appendFileSync(DRILL_REPORT, `${JSON.stringify(line)}\n`);
    runner.on("pass", () => write({ passed: 1 }));
    runner.on("fail", (test, error) => {
      const isFigure = error?.name === "FigureError";
      write({ failed: test.title, message: String(error?.message ?? error), ...(isFigure ? { isFigure } : {}) });
    });
  }
}

// Mocha loads a reporter with `require` and uses the returned value.
export { DrillReporter as "module.exports" };
