/** Runs a job in a separate worker. Ends the worker when it is done, cancelled or silent for too long. */
import type { Run } from "../../domain/league/course.ts";
import { LEAGUE_LABELS } from "../labels/league.ts";
import type { Courses, Job, JobMessage } from "./jobs.ts";

/** Of the worker's script; the bundler replaces it. */
declare const POLICY_WORKER_URL: string;

const CHECK_MS = 500;
/** Counted in checks, not by a clock: a suspended tab makes no checks. */
const SILENT_CHECKS_MAX = 8;
/** As in the service; the time of a worker stands for its CPU time. */
const MEAN_TICK_MS = 5;

/** What a policy gets that did not return: how far it came depends on the machine. */
const STOPPED: Run = {
  ...{ score: 0, ticks: 0, fuel: 0, moves: "", unknown: null },
  forfeit: { reason: "stopped", text: LEAGUE_LABELS.stopped, tick: 0, line: null, column: null },
};

interface JobOptions {
  readonly signal: AbortSignal;
  readonly onRun?: (run: Run) => void;
  readonly msMax?: number;
}

/** The most time that all courses of a policy may take. */
export const getMsMax = ({ seeds, ticksMax }: Courses): number =>
  SILENT_CHECKS_MAX * CHECK_MS + MEAN_TICK_MS * seeds.length * ticksMax;

/** "stopped": it did not return. Throws if it was cancelled or failed. */
function runJob(
  job: Job,
  { signal, onRun, msMax = Number.POSITIVE_INFINITY }: JobOptions,
): Promise<readonly string[] | "stopped"> {
  const worker = new Worker(POLICY_WORKER_URL, { type: "module" });
  const aborted = new AbortController();
  let silentChecks: number | null = null;
  let checks = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  return new Promise<readonly string[] | "stopped">((resolve, reject) => {
    timer = setInterval(() => {
      // Loading the engine takes as long as the network needs.
      if (silentChecks === null) return;
      silentChecks += 1;
      checks += 1;
      if (silentChecks > SILENT_CHECKS_MAX || checks * CHECK_MS > msMax) resolve("stopped");
    }, CHECK_MS);
    worker.onmessage = ({ data }: MessageEvent<JobMessage>) => {
      silentChecks = 0;
      if (data.kind === "run") onRun?.(data.run);
      else if (data.kind === "done") resolve(data.found);
      else if (data.kind === "failed") reject(new Error(data.text));
    };
    worker.onerror = () => reject(new Error(LEAGUE_LABELS.workerFailed));
    signal.addEventListener("abort", () => reject(signal.reason), { signal: aborted.signal });
    signal.throwIfAborted();
    worker.postMessage(job);
  }).finally(() => {
    clearInterval(timer);
    aborted.abort();
    worker.terminate();
  });
}

/** One run for each seed. A policy that was stopped forfeits all courses, also those that it had played. */
export async function playJob(
  job: Exclude<Job, { readonly kind: "form" }>,
  { signal, onRun, ...options }: JobOptions,
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  const take = (run: Run): void => {
    runs.push(run);
    onRun?.(run);
  };
  const end = await runJob(job, { signal, onRun: take, ...options });
  if (end !== "stopped") return runs;
  while (runs.length < job.courses.seeds.length) take(STOPPED);
  return runs.map(() => STOPPED);
}

/** What does not fit in a round's file. */
export async function checkForm(round: unknown, signal: AbortSignal): Promise<readonly string[]> {
  const found = await runJob({ kind: "form", round }, { signal });
  return found === "stopped" ? [LEAGUE_LABELS.stopped] : found;
}
