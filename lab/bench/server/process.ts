/** Both ends of a measured server process: `serveSide` runs inside it, `ServerProcess` in its driver. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { getEnvironment } from "../../../backend/config/environment.ts";
import { HEAP_FLAG } from "../compare/cpu.ts";

/** Node's flags for the server processes, such as `--cpu-prof`. */
const NODE_FLAGS = "BENCH_NODE_FLAGS";

/** Starts the parent's server. Answers with its address, and later with its CPU time (user and system, in us). */
export function serveSide<Options extends object>(start: (options: Options) => Promise<string>): void {
  process.on("message", async (message: { readonly start?: Options }) => {
    if (message.start !== undefined) process.send!(await start(message.start));
    else {
      const { user, system } = process.cpuUsage();
      process.send!(user + system);
    }
  });
  process.on("SIGTERM", () => process.exit());
  process.on("disconnect", () => process.exit());
}

/** A plain HTTP server on a free port. Returns its address. */
export async function listen(onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Runs a script of lab/bench. Discards its log, which a service would write to a file. */
  static async start(script: string, options: object): Promise<ServerProcess> {
    const child = fork(fileURLToPath(new URL(`../${script}.ts`, import.meta.url)), [], {
      execArgv: [HEAP_FLAG, ...(getEnvironment()[NODE_FLAGS] ?? "").split(" ").filter(Boolean)],
      stdio: ["ignore", "inherit", "ignore", "ipc"],
    });
    child.send({ start: options });
    const [url] = (await once(child, "message")) as [string];
    return new ServerProcess(url, child);
  }

  /** CPU time of the process so far, in us. */
  async readCpuUs(): Promise<number> {
    this.#child.send({});
    const [cpuUs] = (await once(this.#child, "message")) as [number];
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
