/** Runs policies away from the page: the only script of the site that may compile WebAssembly. One job for each worker. */
import wasmUrl from "@jitl/quickjs-wasmfile-release-sync/wasm";
import { playPolicy, playRung } from "../../domain/league/course.ts";
import { createEngine } from "../../domain/league/engine.ts";
import { checkRoundForm, roundSchema } from "../../domain/league/round.ts";
import { checkThinkers } from "../../domain/league/thinking.ts";
import { getRules } from "../../games/index.ts";
import type { Courses, Job, JobMessage } from "./jobs.ts";

const ALIVE_MS = 100;

const send = (message: JobMessage): void => postMessage(message);

let aliveAtMs = 0;
function sendAlive(): void {
  const nowMs = performance.now();
  if (nowMs - aliveAtMs < ALIVE_MS) return;
  aliveAtMs = nowMs;
  send({ kind: "alive" });
}

const toOptions = ({ slug, rulesVersion, tickHz, ticksMax, seeds }: Courses) => {
  const game = getRules(slug, rulesVersion);
  if (game === undefined) throw new Error(`expected the rules of ${slug} v${rulesVersion}; this build has other rules`);
  return seeds.map((seed) => ({ game, seed, tickHz, ticksMax, onTick: sendAlive }));
};

function checkForm(round: unknown): readonly string[] {
  const parsed = roundSchema.safeParse(round);
  if (parsed.success) {
    const { data } = parsed;
    return [...checkThinkers(getRules(data.slug, data.rulesVersion)!, data), ...checkRoundForm(data)];
  }
  return parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

async function work(job: Job): Promise<readonly string[]> {
  if (job.kind === "form") return checkForm(job.round);
  const courses = toOptions(job.courses);
  if (job.kind === "rung") {
    for (const [course, options] of courses.entries()) send({ kind: "run", run: playRung(job.rung, course, options) });
    return [];
  }
  const engine = createEngine(await WebAssembly.compileStreaming(fetch(new URL(wasmUrl, import.meta.url))));
  for (const options of courses) {
    sendAlive();
    send({ kind: "run", run: await playPolicy(engine, job.text, options) });
  }
  return [];
}

addEventListener("message", ({ data }: MessageEvent<Job>) => {
  work(data).then(
    (found) => send({ kind: "done", found }),
    (error: unknown) => send({ kind: "failed", text: error instanceof Error ? error.message : String(error) }),
  );
});
