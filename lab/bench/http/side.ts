/** The two ends of a measured server process: `serveSide` inside of it, `ServerProcess` in the process that drives it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { getEnvironment } from "../../../backend/config/environment.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";

/** An answer that a peer gives; the same bytes as ours. */
export interface FixedAnswer {
  readonly method: "GET" | "POST";
  /** With its query, if it has one. */
  readonly path: string;
  readonly isAuthenticated: boolean;
  readonly text: string;
}

export interface SideOptions {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly folder: string;
  readonly databaseFile: string;
  /** For the peers. */
  readonly answers: readonly FixedAnswer[];
}

/** Node's flags for the server processes, such as `--cpu-prof`. */
const NODE_FLAGS = "BENCH_NODE_FLAGS";

/** Starts the server that the parent asks for, and answers with its CPU time (user and system, in us). */
export function serveSide(start: (options: SideOptions) => Promise<number>): void {
  process.on("message", async (message: { readonly start?: SideOptions }) => {
    if (message.start !== undefined) process.send!({ port: await start(message.start) });
    else {
      const { user, system } = process.cpuUsage();
      process.send!({ cpuUs: user + system });
    }
  });
  process.on("SIGTERM", () => process.exit());
  process.on("disconnect", () => process.exit());
}

export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  /** Runs `NAME.ts` of this folder. Its log goes nowhere, as a service's would go to a file. */
  static async start(name: string, options: SideOptions): Promise<ServerProcess> {
    const child = fork(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), [], {
      execArgv: (getEnvironment()[NODE_FLAGS] ?? "").split(" ").filter(Boolean),
      stdio: ["ignore", "inherit", "ignore", "ipc"],
    });
    child.send({ start: options });
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    return new ServerProcess(port, child);
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
