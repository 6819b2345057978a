/** The process that simulates with mutants: started when it is needed, ended when a run takes too long. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { root } from "../../../scripts/start/build.ts";
import type { Drawn, MutantRun, MutantRunResult } from "./worker.ts";

/** Several times what the longest run takes on a busy machine: a mutant that never ends its run is killed. */
const LIMIT_MS = 20_000;

export class MutantProcess {
  readonly #drawn: Drawn;
  #child: ChildProcess | null = null;

  constructor(drawn: Drawn) {
    this.#drawn = drawn;
  }

  /** True if nothing has run in it yet. */
  get isFresh(): boolean {
    return this.#child === null;
  }

  /** Null if the run did not end. */
  async run(order: MutantRun): Promise<MutantRunResult | null> {
    this.#child ??= await this.#start();
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<MutantRunResult | null>();
    const onMessage = (result: unknown): void => resolve(result as MutantRunResult);
    const onExit = (): void => resolve(null);
    const timer = setTimeout(onExit, LIMIT_MS);
    child.once("message", onMessage).once("exit", onExit);
    child.send(order);
    const result = await promise;
    clearTimeout(timer);
    child.off("message", onMessage).off("exit", onExit);
    if (result === null) this.stop();
    return result;
  }

  /** The next run gets a new process. */
  stop(): void {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(new URL("worker.ts", import.meta.url), [JSON.stringify(this.#drawn)], {
      cwd: root,
      execArgv: ["--single-threaded", "--max-semi-space-size=128"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const [started] = await Promise.race([once(child, "message"), once(child, "exit")]);
    if (started !== "ready") throw new Error("expected the process of the mutants to start, it ended");
    return child;
  }
}
