/** The games' rules as a program for the Python package: `node rules.mjs GAME TICKS_PER_STEP [RUNS]`. */
import { serveBridge } from "./serve.ts";

const [slug = "", ticksPerStep, runs] = process.argv.slice(2);
try {
  serveBridge(slug, runs === undefined ? null : Number(runs), Number(ticksPerStep));
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
