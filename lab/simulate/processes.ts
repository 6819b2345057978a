/** Spreads runs over processes; each gets blocks of seeds. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { addUp, type BatchRequest, type BatchResult } from "./batch.ts";
import { CANDIDATES } from "./steering.ts";

/** Small, so that all processes end at about the same time. */
const BLOCK_RUNS = 20;
/** In MB. Runs make many short-lived objects, and a larger young generation saves collections. */
const YOUNG_GENERATION_MB = 128;
/** Each core has one process. Additional engine threads would only take time from the others. */
const ENGINE_FLAGS = ["--single-threaded", `--max-semi-space-size=${YOUNG_GENERATION_MB}`];

export interface ProcessesOptions extends BatchRequest {
  readonly processes: number;
  readonly injected: string | null;
  /** No block starts after this time; null to make all runs. */
  readonly secondsMax: number | null;
}

class BatchProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #isClosed = false;

  constructor(injected: string | null) {
    this.#child = fork(join(root, "lab/simulate/worker.ts"), injected === null ? [] : [injected], {
      cwd: root,
      execArgv: ENGINE_FLAGS,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#exited = once(this.#child, "exit").then(([code, signal]) => {
      if (!this.#isClosed || code !== 0) throw new Error(`a simulating process ended with ${code ?? signal}`);
    });
    this.#exited.catch(() => undefined);
  }

  async run(request: BatchRequest): Promise<BatchResult> {
    this.#child.send(request);
    const [result] = (await Promise.race([once(this.#child, "message"), this.#exited])) as [BatchResult];
    return result;
  }

  /** Throws if the process failed: an error after the last run counts too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }
}

/** The requests of blocks, in the order of seeds. */
const listBlocks = ({ seed, runs, ...request }: BatchRequest): readonly BatchRequest[] =>
  Array.from({ length: Math.ceil(runs / BLOCK_RUNS) }, (_, index) => ({
    ...request,
    seed: seed + index * BLOCK_RUNS * (request.isSteered ? CANDIDATES : 1),
    runs: Math.min(BLOCK_RUNS, runs - index * BLOCK_RUNS),
  }));

/** Simulates until all runs have ended, time is up, or a run failed and `stopsAtFailure` is set. */
export async function runInProcesses(options: ProcessesOptions): Promise<BatchResult> {
  const { processes, injected, secondsMax, stopsAtFailure } = options;
  const untilMs = performance.now() + (secondsMax ?? Number.POSITIVE_INFINITY) * 1000;
  const blocks = listBlocks(options).map((request, index) => ({ request, index }));
  const results: BatchResult[] = [];
  const mayContinue = (): boolean =>
    performance.now() < untilMs && !(stopsAtFailure && results.some(({ failures }) => failures.length > 0));
  const shares = Math.max(1, Math.min(processes, blocks.length));
  const runShare = async (_: unknown, share: number): Promise<void> => {
    const child = new BatchProcess(injected);
    // What a process has run decides which seeds it chooses, so it must not depend on how fast the others are.
    const own = options.isSteered ? blocks.filter(({ index }) => index % shares === share) : blocks;
    try {
      while (own.length > 0 && mayContinue()) {
        const { request, index } = (options.isDescending ? own.pop() : own.shift())!;
        results[index] = await child.run(request);
      }
    } finally {
      await child.close();
    }
  };
  await Promise.all(Array.from({ length: shares }, runShare));
  return addUp(results.filter((result) => result !== undefined));
}
