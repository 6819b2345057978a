/** Starts a node of `node.ts` and sends it commands. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { NodeCommand, NodeReply } from "./node.ts";

const REQUEST_TIMEOUT_MS = 60_000;

export class Node {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(args: readonly string[]): Promise<Node> {
    const script = fileURLToPath(new URL("./node.ts", import.meta.url));
    const child = fork(script, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    await once(child, "message", { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    return new Node(child);
  }

  async request(command: NodeCommand): Promise<NodeReply> {
    this.#child.send(command);
    const [reply] = await once(this.#child, "message", { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    return reply as NodeReply;
  }

  signal(signal: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
    this.#child.kill(signal);
  }
}
