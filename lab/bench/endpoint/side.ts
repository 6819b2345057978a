/** The two ends of a measured server process: `serveSide` inside of it, `Side` in the process that drives it. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { getEnvironment } from "../../../backend/config/environment.ts";

/** Node's flags for the server processes, such as `--cpu-prof`. */
const NODE_FLAGS = "BENCH_NODE_FLAGS";

/** What the parent is told of a server that was started: its address, and what a side has to tell beside it. */
export interface Started {
  readonly url: string;
}

/**
 * Starts the server that the parent asks for, and answers with its CPU time (user and system, in us), and with what
 * `read` returns.
 */
export function serveSide<Options extends object>(
  start: (options: Options) => Promise<Started>,
  read: () => object = () => ({}),
): void {
  process.on("message", async (message: { readonly start?: Options }) => {
    if (message.start !== undefined) process.send!(await start(message.start));
    else {
      const { user, system } = process.cpuUsage();
      process.send!({ cpuUs: user + system, ...read() });
    }
  });
  process.on("SIGTERM", () => process.exit());
  process.on("disconnect", () => process.exit());
}

export class Side<Told extends Started = Started> {
  readonly started: Told;
  readonly #child: ChildProcess;

  private constructor(started: Told, child: ChildProcess) {
    this.started = started;
    this.#child = child;
  }

  /** Runs a script of lab/bench. Its log goes nowhere, as a service's would go to a file. */
  static async start<Told extends Started>(script: string, options: object): Promise<Side<Told>> {
    const flags = (getEnvironment()[NODE_FLAGS] ?? "").split(" ").filter(Boolean);
    const child = fork(fileURLToPath(new URL(`../${script}.ts`, import.meta.url)), [], {
      execArgv: flags,
      stdio: ["ignore", "inherit", "ignore", "ipc"],
    });
    child.send({ start: options });
    const [started] = (await once(child, "message")) as [Told];
    return new Side(started, child);
  }

  /** CPU time of the process so far, in us, and what else it has to tell. */
  async read<More extends object>(): Promise<More & { readonly cpuUs: number }> {
    this.#child.send({});
    const [read] = (await once(this.#child, "message")) as [More & { readonly cpuUs: number }];
    return read;
  }

  /** Stops the process by a signal, so that it uses no CPU while another side is measured. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    this.resume();
    this.#child.kill("SIGTERM");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}
