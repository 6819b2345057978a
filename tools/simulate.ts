/** `npm run simulate`: lives of the service on simulated time, everything drawn from a seed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { root } from "../scripts/start/build.ts";
import { PLANTED, plant } from "./simulate/planted.ts";
import type { Failure, LivesOptions, LivesResult } from "./simulate/run-lives.ts";

const LIVES = 1_000;
/** Fewer lives than this do not repay a second process. */
const LIVES_PER_PROCESS_MIN = 100;
const TRACE_LINES = 200;

function parseCount(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 0 && text !== "") return count;
  throw new UsageError(`--${name}: expected a whole number, received ${text}`);
}

/** Lives in a process of their own. */
async function runElsewhere({ seed, lives }: LivesOptions): Promise<LivesResult> {
  const runner = join(root, "scripts/run.mjs");
  const numbers = ["--lives", String(lives), "--seed", String(seed)];
  const child = spawn(process.execPath, [runner, "tools/simulate", ...numbers, "--json", "--one-process"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  return JSON.parse(String(Buffer.concat(chunks))) as LivesResult;
}

const addUp = (results: readonly LivesResult[]): LivesResult => ({
  lives: results.reduce((sum, { lives }) => sum + lives, 0),
  failures: results.flatMap(({ failures }) => failures).sort((one, other) => one.seed - other.seed),
  simulatedMs: results.reduce((sum, { simulatedMs }) => sum + simulatedMs, 0),
  steps: results.reduce((sum, { steps }) => sum + steps, 0),
});

async function runAll(options: LivesOptions, isOneProcess: boolean): Promise<LivesResult> {
  const { seed, lives } = options;
  const { runLives } = await import("./simulate/run-lives.ts");
  const processes = isOneProcess ? 1 : Math.min(availableParallelism(), Math.floor(lives / LIVES_PER_PROCESS_MIN));
  if (processes < 2) return await runLives(options);
  const share = Math.ceil(lives / processes);
  const parts = Array.from({ length: processes }, (_, index) => ({
    ...options,
    seed: seed + index * share,
    lives: Math.min(share, lives - index * share),
  }));
  return addUp(await Promise.all(parts.map(runElsewhere)));
}

/** The shortest trace that still breaks the invariant. */
async function report({ seed, violation, plan }: Failure, terminal: Terminal): Promise<void> {
  const { shrink } = await import("./simulate/shrink.ts");
  const { createScenery } = await import("./simulate/life/scenery.ts");
  const shortest = await shrink(await createScenery(), { seed, violation, plan });
  terminal.print(`Seed ${seed}: ${violation?.message}`);
  terminal.print(`Faults that are needed: ${JSON.stringify(shortest.plan)}`);
  for (const line of shortest.trace.slice(-TRACE_LINES)) terminal.print(`  ${line.slice(0, 200)}`);
}

export const command = defineCommand({
  name: "simulate",
  summary: "lives of the service on simulated time, with faults drawn from a seed",
  flags: {
    lives: { type: "string", value: "N", help: "how many lives", default: String(LIVES) },
    seed: { type: "string", value: "S", help: "the seed of the first life; the next ones follow it", default: "1" },
    planted: { type: "string", value: "NAME", help: "remove a safeguard; the run succeeds if a life finds it" },
    "one-process": { type: "boolean", help: "use one core" },
  },
  examples: ["npm run simulate", "npm run simulate -- --lives 1 --seed 4711"],
  notes: [`Planted faults: ${Object.keys(PLANTED).join(", ")}.`],
  async run({ flags }, terminal) {
    const { planted } = flags;
    if (planted !== undefined && PLANTED[planted] === undefined)
      throw new UsageError(`--planted: expected ${Object.keys(PLANTED).join(", ")}, received ${planted}`);
    if (planted !== undefined) plant(planted);
    const lives = parseCount("lives", flags.lives, LIVES);
    const options = { lives, seed: parseCount("seed", flags.seed, 1), stopsAtFailure: planted !== undefined };
    const startedMs = performance.now();
    const result = await runAll(options, flags["one-process"] === true || planted !== undefined);
    const seconds = (performance.now() - startedMs) / 1000;
    terminal.printJson({ ...result, seconds });
    const [failure] = result.failures;
    if (failure !== undefined && !terminal.json) await report(failure, terminal);
    const found = failure === undefined ? "no invariant broken" : `broken first in seed ${failure.seed}`;
    const minutes = (result.simulatedMs / 60_000).toFixed(0);
    terminal.print(`${result.lives} lives (${minutes} simulated minutes) in ${seconds.toFixed(1)} s: ${found}`);
    const isExpected = (failure === undefined) === (planted === undefined);
    return isExpected ? EXIT.ok : EXIT.error;
  },
});
