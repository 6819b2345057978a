/**
 * The cross-entropy method (https://doi.org/10.1007/s10479-005-5724-z): draw candidates from a normal distribution, keep
 * the best, fit the distribution to them, and repeat.
 */

export interface Distribution {
  readonly means: readonly number[];
  readonly deviations: readonly number[];
}

export interface CrossEntropyOptions {
  readonly candidates: number;
  /** The best ones, to which the next distribution is fitted. */
  readonly elite: number;
  /** How much of the old deviation to keep, so that the search does not narrow too early. */
  readonly inertia: number;
  /** Random numbers from 0 to 1. */
  random(): number;
  /** Higher is better. */
  score(candidate: readonly number[]): number;
}

/** A seeded generator of numbers from 0 to 1 (Numerical Recipes' LCG). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/** A standard normal number, by Box and Muller. */
const drawNormal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());

const getMean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** One generation; the first candidate is the mean itself. Returns the next distribution and the best score. */
export function improve({ means, deviations }: Distribution, options: CrossEntropyOptions) {
  const { candidates, elite, inertia, random, score } = options;
  const drawn = Array.from({ length: candidates }, (_, index) =>
    means.map((mean, at) => (index === 0 ? mean : mean + deviations[at]! * drawNormal(random))),
  );
  const ranked = drawn.map((numbers) => ({ numbers, score: score(numbers) })).sort((a, b) => b.score - a.score);
  const best = ranked.slice(0, elite);
  const nextMeans = means.map((_, at) => getMean(best.map(({ numbers }) => numbers[at]!)));
  const nextDeviations = deviations.map((deviation, at) => {
    const spread = Math.sqrt(getMean(best.map(({ numbers }) => (numbers[at]! - nextMeans[at]!) ** 2)));
    return inertia * deviation + (1 - inertia) * spread;
  });
  return { distribution: { means: nextMeans, deviations: nextDeviations }, bestScore: ranked[0]!.score };
}
