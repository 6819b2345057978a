/** Loaded before the tests of a run: writes how long each file took, with its imports, for the list of the slowest. */
import { appendFileSync } from "node:fs";
import { relative } from "node:path";

let beganMs = performance.now();

export const mochaHooks = {
  afterAll(this: Mocha.Context): void {
    const file = this.test?.parent?.suites[0]?.file;
    const path = process.env.TEST_SECONDS_FILE;
    const nowMs = performance.now();
    const seconds = (nowMs - beganMs) / 1_000;
    beganMs = nowMs;
    if (file !== undefined && path !== undefined) appendFileSync(path, `${seconds} ${relative(".", file)}\n`);
  },
};
