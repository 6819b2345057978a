/**
 * Bradley-Terry ratings: the strengths under which the results of all pairs on all courses are most likely, on Elo's
 * scale with the reference bot at 1500. A pure function of the results.
 */
import type { Run } from "./course.ts";

export interface Rating {
  readonly id: string;
  readonly rating: number;
  /** The ends of the 95 % interval of the difference to the anchor. */
  readonly low: number;
  readonly high: number;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

export interface Rated {
  readonly id: string;
  readonly runs: readonly Pick<Run, "score" | "forfeit">[];
}

export const ANCHOR_RATING = 1500;
const ELO_SCALE = 400 / Math.LN10;
const Z_95 = 1.959963984540054;
const ITERATIONS_MAX = 200;
/** The weight of a tie with an average player, so that a policy that won everything has a finite rating. */
const PRIOR_GAMES = 1;

/** 1: the first run wins, 0: the second, 0.5: a tie. A forfeited course loses against every other. */
export function compareScores(one: Rated["runs"][number], other: Rated["runs"][number]): 0 | 0.5 | 1 {
  if ((one.forfeit === null) !== (other.forfeit === null)) return one.forfeit === null ? 1 : 0;
  if (one.forfeit !== null || one.score === other.score) return 0.5;
  return one.score > other.score ? 1 : 0;
}

/** Points of each in its games with each other: `points[i][j]` of the games of i and j. */
const countPoints = (rated: readonly Rated[]): readonly (readonly number[])[] =>
  rated.map((one, i) =>
    rated.map((other, j) =>
      i === j ? 0 : one.runs.reduce((sum, run, course) => sum + compareScores(run, other.runs[course]!), 0),
    ),
  );

const win = (difference: number): number => 1 / (1 + Math.exp(-difference));

/** The inverse of a symmetric positive definite matrix, by Gauss and Jordan. */
function invert(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let pivot = 0; pivot < size; pivot++) {
    const divisor = rows[pivot]![pivot]!;
    rows[pivot] = rows[pivot]!.map((value) => value / divisor);
    for (let row = 0; row < size; row++) {
      const factor = rows[row]![pivot]!;
      if (row !== pivot && factor !== 0)
        rows[row] = rows[row]!.map((value, column) => value - factor * rows[pivot]![column]!);
    }
  }
  return rows.map((row) => row.slice(size));
}

/** The curvature of the likelihood, with the prior's share. */
const getInformation = (strengths: readonly number[], games: number): number[][] => {
  const weights = strengths.map((one, i) =>
    strengths.map((other, j) => (i === j ? 0 : games * win(one - other) * win(other - one))),
  );
  return weights.map((row, i) =>
    row.map((weight, j) => {
      const prior = PRIOR_GAMES * win(strengths[i]!) * win(-strengths[i]!);
      return i === j ? row.reduce((sum, each) => sum + each, prior) : -weight;
    }),
  );
};

/** Newton's method; the prior makes the likelihood strictly concave. Steps are bounded, so that it cannot overshoot. */
function fitStrengths(points: readonly (readonly number[])[], games: number): number[] {
  let strengths = points.map(() => 0);
  for (let iteration = 0; iteration < ITERATIONS_MAX; iteration++) {
    const slopes = strengths.map((one, i) => {
      const expected = strengths.reduce((sum, other, j) => (i === j ? sum : sum + games * win(one - other)), 0);
      const won = points[i]!.reduce((sum, value) => sum + value, 0);
      return won - expected + PRIOR_GAMES * (0.5 - win(one));
    });
    const inverse = invert(getInformation(strengths, games));
    const steps = inverse.map((row) => row.reduce((sum, value, j) => sum + value * slopes[j]!, 0));
    const largest = Math.max(...steps.map(Math.abs));
    const share = Math.min(1, 1 / largest);
    strengths = strengths.map((value, i) => value + share * steps[i]!);
    if (largest < 1e-9) break;
  }
  return strengths;
}

/** From the strongest to the weakest. `anchor` is the id that gets 1500. */
export function computeRatings(rated: readonly Rated[], anchor: string): readonly Rating[] {
  const games = rated[0]?.runs.length ?? 0;
  const points = countPoints(rated);
  const strengths = fitStrengths(points, games);
  const covariance = invert(getInformation(strengths, games));
  const fixed = rated.findIndex(({ id }) => id === anchor);
  const ratings = rated.map(({ id, runs }, i) => {
    const rating = ANCHOR_RATING + ELO_SCALE * (strengths[i]! - strengths[fixed]!);
    const variance = i === fixed ? 0 : covariance[i]![i]! + covariance[fixed]![fixed]! - 2 * covariance[i]![fixed]!;
    const half = Z_95 * ELO_SCALE * Math.sqrt(Math.max(0, variance));
    const outcomes = rated.flatMap((other, j) =>
      i === j ? [] : runs.map((run, course) => compareScores(run, other.runs[course]!)),
    );
    const count = (outcome: number): number => outcomes.filter((each) => each === outcome).length;
    const [low, high] = [rating - half, rating + half].map(Math.round) as [number, number];
    return { id, rating: Math.round(rating), low, high, wins: count(1), losses: count(0), ties: count(0.5) };
  });
  return ratings.sort((a, b) => b.rating - a.rating || (a.id < b.id ? -1 : 1));
}
