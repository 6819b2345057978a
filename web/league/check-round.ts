/** Plays a round again in this browser, and names what differs from its file. */
import { compareRuns, isStopped } from "../../domain/league/compare-runs.ts";
import type { Rung } from "../../domain/league/course.ts";
import { computeCourseSeed } from "../../domain/league/course-seed.ts";
import { findRules } from "../replay/load-run.ts";
import type { Job } from "./jobs.ts";
import type { Round } from "./league-data.ts";
import { checkForm, getMsMax, playJob } from "./run-job.ts";

const LANES_MAX = 4;

export interface CheckProgress {
  readonly coursesPlayed: number;
  readonly courses: number;
  readonly found: readonly string[];
}

/** All that differs; null if this build does not have the round's rules. Throws if it was cancelled or failed. */
export async function checkRound(
  round: Round,
  onProgress: (progress: CheckProgress) => void,
  cancelled: AbortSignal,
): Promise<readonly string[] | null> {
  const over = new AbortController();
  const signal = AbortSignal.any([cancelled, over.signal]);
  if (findRules(round) === undefined) return null;
  const form = await checkForm(round, signal);
  // Before what follows from them, such as ratings.
  const found: string[] = [];
  const { slug, rulesVersion, tickHz, ticksMax } = round;
  const seeds = Array.from({ length: round.courses }, (_, course) => computeCourseSeed(round, course));
  const common = { slug, rulesVersion, tickHz, ticksMax, seeds };
  const players = [
    ...round.policies.map(({ id, text, runs }) => ({
      id,
      runs,
      job: { kind: "policy", text, courses: common } as const,
    })),
    ...round.rungs.map(({ id, runs }) => ({
      id,
      runs,
      job: { kind: "rung", rung: id.replace(/^bot:/, "") as Rung, courses: common } as const,
    })),
  ] satisfies readonly { readonly job: Job }[];
  const courses = players.length * seeds.length;
  let coursesPlayed = 0;
  const report = (): void => onProgress({ coursesPlayed, courses, found: [...found, ...form] });
  report();
  const queue = players.values();
  const runLane = async (): Promise<void> => {
    for (const { id, runs, job } of queue) {
      const onRun = (): void => {
        coursesPlayed += 1;
        report();
      };
      // A slower machine needs more time for the same courses.
      const msMax = isStopped(runs) ? getMsMax(common) : Number.POSITIVE_INFINITY;
      found.push(...compareRuns(id, await playJob(job, { signal, onRun, msMax }), runs));
      report();
    }
  };
  const lanes = Math.min(LANES_MAX, navigator.hardwareConcurrency || 1);
  await Promise.all(Array.from({ length: lanes }, runLane)).finally(() => over.abort());
  return [...found, ...form];
}
