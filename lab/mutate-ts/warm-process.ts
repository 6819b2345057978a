/** The process of the tests: started when it is needed, ended with all that it started when a run takes too long. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getEnvironment } from "../../backend/config/environment.ts";
import { root } from "../../scripts/start/build.ts";
import { instrumentSources, type Mutant } from "./mutants.ts";
import type { Answer, Order } from "./worker.ts";

/** Then a new process: memory, and what killed mutants leave behind. */
const RUNS_PER_PROCESS = 150;

export interface WarmProcess {
  /** Null when the limit has passed, or the process has ended. */
  run(order: Order, limitMs: number): Promise<Answer | null>;
  /** True when nothing has run in it yet. */
  isFresh(): boolean;
  /** The next run gets a new process. */
  stop(): void;
  close(): void;
}

function writeSources(folder: string, mutants: readonly Mutant[]): void {
  for (const [file, text] of instrumentSources(mutants)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

async function start(folder: string): Promise<ChildProcess> {
  const hits = join(folder, "hits");
  writeFileSync(hits, "");
  const child = fork(new URL("worker.ts", import.meta.url), {
    cwd: root,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    execArgv: [],
    env: {
      ...getEnvironment(),
      NODE_OPTIONS: `--import=${new URL("preload.ts", import.meta.url).href}`,
      NODE_COMPILE_CACHE: join(folder, "cache"),
      MUTANT_ROOT: root,
      MUTANT_SOURCES: folder,
      MUTANT_HITS_FILE: hits,
      ARCADE_LOG_LEVEL: "silent",
      ARCADE_DEMO_AGENTS: "off",
      TEST_SERVERS: "off",
    },
  });
  await once(child, "message");
  return child;
}

function waitForAnswer(child: ChildProcess, limitMs: number): Promise<Answer | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(null), limitMs);
    function settle(answer: Answer | null): void {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(answer);
    }
    child.once("message", (answer) => settle(answer as Answer));
    child.once("exit", () => settle(null));
  });
}

export function createWarmProcess(mutants: readonly Mutant[]): WarmProcess {
  const folder = mkdtempSync(join(tmpdir(), "arcade-mutants-"));
  writeSources(folder, mutants);
  let child: ChildProcess | null = null;
  let runs = 0;

  function stop(): void {
    const pid = child?.pid;
    child = null;
    runs = 0;
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }

  return {
    async run(order, limitMs) {
      if (runs >= RUNS_PER_PROCESS) stop();
      child ??= await start(folder);
      runs += 1;
      child.send(order);
      const answer = await waitForAnswer(child, limitMs);
      if (answer === null) stop();
      return answer;
    },
    isFresh: () => runs === 0,
    stop,
    close() {
      stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
