/** The process that runs tests with mutants. */
import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getEnvironment } from "../../backend/config/environment.ts";
import { root } from "../../scripts/start/build.ts";
import { instrumentSources, type Mutant } from "./mutants.ts";
import { createWarmProcess, type WarmProcess } from "./warm-process.ts";
import type { Answer, Order } from "./worker.ts";

const RUNS_PER_PROCESS = 150;

export interface TestProcess extends WarmProcess<Order, Answer> {
  close(): void;
}

function start(folder: string) {
  const hits = join(folder, "hits");
  writeFileSync(hits, "");
  return fork(new URL("worker.ts", import.meta.url), {
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
}

export function createTestProcess(mutants: readonly Mutant[]): TestProcess {
  const folder = mkdtempSync(join(tmpdir(), "arcade-mutants-"));
  for (const [file, text] of instrumentSources(mutants)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const warm = createWarmProcess<Order, Answer>({ start: () => start(folder), runsMax: RUNS_PER_PROCESS });
  const close = (): void => {
    warm.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...warm, close };
}
