/** Lives on several cores: processes that are handed blocks of seeds. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { addUp, type LivesRequest, type LivesResult } from "./lives.ts";

/** Lives of a block: few, so that no process is left with much to do while the others have ended. */
const BLOCK_LIVES = 20;
/** Lives leave much behind that is young: room for it spares collections. MB. */
const YOUNG_GENERATION_MB = 128;
/** Each core has its own process: threads of the engine beside it would only take time from the others. */
const ENGINE_FLAGS = ["--single-threaded", `--max-semi-space-size=${YOUNG_GENERATION_MB}`];

export interface ProcessesOptions extends LivesRequest {
  readonly processes: number;
  readonly injected: string | null;
  /** No block begins later; null: all lives are run. */
  readonly secondsMax: number | null;
}

class LivesProcess {
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
      if (!this.#isClosed || code !== 0) throw new Error(`a process that runs lives ended with ${code ?? signal}`);
    });
    this.#exited.catch(() => undefined);
  }

  async run(request: LivesRequest): Promise<LivesResult> {
    this.#child.send(request);
    const [result] = (await Promise.race([once(this.#child, "message"), this.#exited])) as [LivesResult];
    return result;
  }

  /** Throws if the process fails: what a life leaves behind would have failed in the next one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }
}

/** The requests of blocks, in the order of seeds. */
const listBlocks = ({ seed, lives, isDescending, stopsAtFailure }: LivesRequest): readonly LivesRequest[] =>
  Array.from({ length: Math.ceil(lives / BLOCK_LIVES) }, (_, index) => ({
    seed: seed + index * BLOCK_LIVES,
    lives: Math.min(BLOCK_LIVES, lives - index * BLOCK_LIVES),
    isDescending,
    stopsAtFailure,
  }));

/** Runs lives until all have ended, the time is over, or one has failed where that is the end. */
export async function runInProcesses(options: ProcessesOptions): Promise<LivesResult> {
  const { processes, injected, secondsMax, stopsAtFailure } = options;
  const untilMs = performance.now() + (secondsMax ?? Number.POSITIVE_INFINITY) * 1000;
  const blocks = listBlocks(options).map((request, index) => ({ request, index }));
  const results: LivesResult[] = [];
  const mayGoOn = (): boolean =>
    performance.now() < untilMs && !(stopsAtFailure && results.some(({ failures }) => failures.length > 0));
  const runShare = async (): Promise<void> => {
    const child = new LivesProcess(injected);
    try {
      while (blocks.length > 0 && mayGoOn()) {
        const { request, index } = (options.isDescending ? blocks.pop() : blocks.shift())!;
        results[index] = await child.run(request);
      }
    } finally {
      await child.close();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(processes, blocks.length)) }, runShare));
  return addUp(results.filter((result) => result !== undefined));
}
