/** Shared by all drills: seed, length, injected fault and figures. */
import { appendFileSync } from "node:fs";

export const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
export const IS_SELF_TEST = process.env.DRILL_SELF_TEST === "1";
/** The share of the full length, for the short run. */
const SHARE = Number(process.env.DRILL_SHARE ?? 1);
/** A full run must judge everything; a short one may report that it could not. */
export const IS_FULL_RUN = SHARE >= 1;

/** A count of the full drill, scaled by the share. */
export const scaleCount = (count: number): number => Math.max(1, Math.round(count * SHARE));

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Prints figures with the seed; `npm run lab -- drill` gets them without it in `DRILL_REPORT`. */
export function printFigures(figures: { readonly [name: string]: number | string }): void {
  const format = (fields: typeof figures): string =>
    Object.entries(fields)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
  console.log(`      ${format({ seed: SEED, ...figures })}`);
  const { DRILL_REPORT } = process.env;
  if (DRILL_REPORT !== undefined) appendFileSync(DRILL_REPORT, `${JSON.stringify({ figures: format(figures) })}\n`);
}

/**
 * A figure that other load on the machine can raise as well as a fault of the service: a time, the lateness of ticks,
 * memory. CI repeats a drill that only failed by such figures.
 */
export class FigureError extends Error {
  override readonly name = "FigureError";
}

/** Runs the check of a figure. Throws `FigureError` if it fails. */
export function expectFigure(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new FigureError(error instanceof Error ? error.message : String(error));
  }
}

/** Numbers in [0, 1) computed from a seed (xorshift32). */
export function createRandom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * Environment of drills that are not about a slow node: on a busy machine the local chain may need longer than the
 * second that a request normally waits.
 */
export const PATIENT_WITH_CHAIN = { ARCADE_CHAIN_WAIT_MS: "30000" } as const;

/** Waits for a condition. Throws `FigureError` if it is not met in time. */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  const endMs = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new FigureError(`${what}: not within ${ms} ms`);
    await sleep(20);
  }
}
