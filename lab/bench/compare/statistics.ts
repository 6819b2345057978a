import type { Spread } from "./types.ts";

/** The median; of an even number of values the upper one of the two in the middle. NaN for an empty list. */
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export const getSpread = (values: readonly number[]): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});
