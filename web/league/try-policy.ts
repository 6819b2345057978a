/** Plays a policy and the reference bot on the editor's courses, and sums up the results. */
import type { Hex } from "../../client/api.ts";
import type { Forfeit, Run } from "../../domain/league/course.ts";
import { computeCourseSeed } from "../../domain/league/course-seed.ts";
import { compareScores } from "../../domain/league/ratings.ts";
import type { Game } from "../../games/game.ts";
import { playJob } from "./run-job.ts";

export const TRY_COURSES = 200;
const TRY_SECONDS = 60;
const ZERO: Hex = `0x${"00".repeat(32)}`;

const toSeed = (slug: string, course: number): Hex =>
  computeCourseSeed({ serverSeed: ZERO, block: { hash: ZERO }, slug }, course);

export interface Trial {
  readonly median: number;
  readonly best: number;
  readonly worst: { readonly course: number; readonly seed: Hex; readonly run: Run };
  readonly referenceMedian: number;
  readonly won: number;
  readonly fuelPerTick: number;
  /** Each with the number of its courses. */
  readonly forfeits: readonly { readonly forfeit: Forfeit; readonly count: number }[];
  readonly unknown: NonNullable<Run["unknown"]> | null;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const getMedian = (runs: readonly Run[]): number =>
  runs.map(({ score }) => score).sort((one, other) => one - other)[Math.floor(runs.length / 2)]!;

/** Forfeited courses first, then the lowest score, then the shortest. */
const toRank = ({ forfeit, score, ticks }: Run): number => (forfeit === null ? score * 1e6 + ticks : -1e12 + ticks);

function summarizeTrial(slug: string, runs: readonly Run[], reference: readonly Run[]): Trial {
  const ranks = runs.map(toRank);
  const course = ranks.indexOf(Math.min(...ranks));
  const forfeits = new Map<string, Trial["forfeits"][number]>();
  for (const { forfeit } of runs) {
    if (forfeit === null) continue;
    const key = `${forfeit.text} ${forfeit.line} ${forfeit.column}`;
    forfeits.set(key, { forfeit: forfeits.get(key)?.forfeit ?? forfeit, count: (forfeits.get(key)?.count ?? 0) + 1 });
  }
  const unknowns = runs.flatMap(({ unknown }) => unknown ?? []);
  return {
    median: getMedian(runs),
    best: Math.max(...runs.map(({ score }) => score)),
    worst: { course, seed: toSeed(slug, course), run: runs[course]! },
    referenceMedian: getMedian(reference),
    won: runs.filter((run, index) => compareScores(run, reference[index]!) === 1).length,
    fuelPerTick: Math.round(sum(runs.map(({ fuel }) => fuel)) / Math.max(1, sum(runs.map(({ ticks }) => ticks)))),
    forfeits: [...forfeits.values()].sort((one, other) => other.count - one.count),
    unknown: unknowns[0] === undefined ? null : { ...unknowns[0], count: sum(unknowns.map(({ count }) => count)) },
  };
}

/** A policy that would be refused gives its fault instead. Throws if it was cancelled. */
export async function tryPolicy(
  game: Game,
  text: string,
  onProgress: (coursesPlayed: number) => void,
  signal: AbortSignal,
): Promise<Trial | Forfeit> {
  const { slug, rulesVersion, tickHz } = game;
  const seeds = Array.from({ length: TRY_COURSES }, (_, course) => toSeed(slug, course));
  const courses = { slug, rulesVersion, tickHz, ticksMax: TRY_SECONDS * tickHz, seeds };
  const refused = new AbortController();
  const signals = AbortSignal.any([signal, refused.signal]);
  let coursesPlayed = 0;
  const onRun = ({ forfeit }: Run): void => {
    coursesPlayed += 1;
    onProgress(coursesPlayed);
    if (forfeit?.reason === "text") refused.abort(forfeit);
  };
  try {
    const [runs, reference] = await Promise.all([
      playJob({ kind: "policy", text, courses }, { signal: signals, onRun }),
      playJob({ kind: "rung", rung: "reference", courses }, { signal: signals }),
    ]);
    return summarizeTrial(slug, runs, reference);
  } catch (error) {
    if (refused.signal.aborted && !signal.aborted) return refused.signal.reason as Forfeit;
    throw error;
  } finally {
    refused.abort();
  }
}
