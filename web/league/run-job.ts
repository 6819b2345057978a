/** Runs a job in a separate worker. Ends the worker when it is done, cancelled or silent for too long. */
import type { Run } from "../../domain/league/course.ts";
import { LEAGUE_LABELS } from "../labels/league.ts";
import type { Job, JobMessage } from "./jobs.ts";

/** Of the worker's script; the bundler replaces it. */
declare const POLICY_WORKER_URL: string;

const CHECK_MS = 500;
/** Counted in checks, not by a clock: a suspended tab makes no checks. */
const SILENT_CHECKS_MAX = 8;

/** What a policy gets that did not return: how far it came depends on the machine. */
const STOPPED: Run = {
  ...{ score: 0, ticks: 0, fuel: 0, moves: "", unknown: null },
  forfeit: { reason: "stopped", text: LEAGUE_LABELS.stopped, tick: 0, line: null, column: null },
};

interface JobOptions {
  readonly signal: AbortSignal;
  readonly onRun?: (run: Run) => void;
}

/** "stopped": it did not return. Throws if it was cancelled or failed. */
function runJob(job: Job, { signal, onRun }: JobOptions): Promise<readonly string[] | "stopped"> {
  const worker = new Worker(POLICY_WORKER_URL, { type: "module" });
  const aborted = new AbortController();
  let silentChecks: number | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;
  return new Promise<readonly string[] | "stopped">((resolve, reject) => {
    timer = setInterval(() => {
      // Loading the engine takes as long as the network needs.
      if (silentChecks === null) return;
      silentChecks += 1;
      if (silentChecks > SILENT_CHECKS_MAX) resolve("stopped");
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

/** One run for each seed. */
export async function playJob(
  job: Exclude<Job, { readonly kind: "form" }>,
  { signal, onRun }: JobOptions,
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  const take = (run: Run): void => {
    runs.push(run);
    onRun?.(run);
  };
  const end = await runJob(job, { signal, onRun: take });
  if (end === "stopped") while (runs.length < job.courses.seeds.length) take(STOPPED);
  return runs;
}

/** What does not fit in a round's file. */
export async function checkForm(round: unknown, signal: AbortSignal): Promise<readonly string[]> {
  const found = await runJob({ kind: "form", round }, { signal });
  return found === "stopped" ? [LEAGUE_LABELS.stopped] : found;
}
