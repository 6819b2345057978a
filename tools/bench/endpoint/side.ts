/** The two ends of a measured server process: `serveSide` inside of it, `Side` in the process that drives it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Node's flags for the server processes, such as `--cpu-prof`. */
const NODE_FLAGS = "BENCH_NODE_FLAGS";

/** Starts the server that the parent asks for, and answers with its CPU time (user and system, in us). */
export function serveSide<Options extends object>(start: (options: Options) => Promise<string>): void {
  process.on("message", async (message: { readonly start?: Options }) => {
    if (message.start !== undefined) process.send!({ url: await start(message.start) });
    else {
      const { user, system } = process.cpuUsage();
      process.send!({ cpuUs: user + system });
    }
  });
  process.on("SIGTERM", () => process.exit());
  process.on("disconnect", () => process.exit());
}

export class Side {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Runs a script of tools/bench. Its log goes nowhere, as a service's would go to a file. */
  static async start(script: string, options: object): Promise<Side> {
    const flags = (process.env[NODE_FLAGS] ?? "").split(" ").filter(Boolean);
    const child = fork(fileURLToPath(new URL(`../${script}.ts`, import.meta.url)), [], {
      execArgv: flags,
      stdio: ["ignore", "inherit", "ignore", "ipc"],
    });
    child.send({ start: options });
    const [{ url }] = (await once(child, "message")) as [{ url: string }];
    return new Side(url, child);
  }

  /** CPU time of the process so far, in us. */
  async readCpuUs(): Promise<number> {
    this.#child.send({});
    const [{ cpuUs }] = (await once(this.#child, "message")) as [{ cpuUs: number }];
    return cpuUs;
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
