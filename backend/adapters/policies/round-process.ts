/** A round in a separate process, which starts one process for each policy: ticks and requests do not wait for it. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PlannedPolicy, PolicyRunner, RoundPlan } from "../../ports/policies.ts";

/** A line that the process reads. */
export type RoundInput = { readonly plan: RoundPlan } | { readonly policy: PlannedPolicy } | { readonly end: true };

type Played = Awaited<ReturnType<PolicyRunner["playRound"]>>;

const ERROR_CHARACTERS = 2000;

/**
 * Lets a process and those that it will start run only when a core has nothing else to do. On Linux by the policy
 * SCHED_IDLE (sched(7)), since with a low priority alone a tick waits for up to 4 ms.
 */
async function yieldToOthers(pid: number | undefined): Promise<void> {
  try {
    setPriority(pid!, constants.priority.PRIORITY_BELOW_NORMAL);
    await promisify(execFile)("chrt", ["-i", "-p", "0", String(pid)]);
  } catch {
    // The system has no such command, or the process has ended, which `play` finds out.
  }
}

export class RoundProcess {
  readonly #child = spawn(
    process.execPath,
    ["--no-warnings", "--max-old-space-size=512", fileURLToPath(new URL("round-child.ts", import.meta.url))],
    { env: {}, stdio: ["pipe", "pipe", "pipe"] },
  );
  readonly #chunks: Buffer[] = [];
  #errors = "";

  /** `onProgress` gets a line for each policy that was played. */
  constructor(onProgress: (text: string) => void) {
    const { stdin, stdout, stderr } = this.#child;
    stdin.on("error", () => undefined);
    stdout.on("data", (chunk: Buffer) => this.#chunks.push(chunk));
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-ERROR_CHARACTERS);
      for (const line of text.split("\n")) if (line !== "") onProgress(line);
    });
  }

  async play(plan: RoundPlan, policies: AsyncIterable<PlannedPolicy>): Promise<Played> {
    const closed = once(this.#child, "close") as Promise<[number | null]>;
    closed.catch(() => undefined);
    await yieldToOthers(this.#child.pid);
    await this.#send({ plan });
    for await (const policy of policies) await this.#send({ policy });
    await this.#send({ end: true });
    const [code] = await closed;
    if (code !== 0) throw new Error(`The process of a round ended with ${code}: ${this.#errors}`);
    const output = Buffer.concat(this.#chunks);
    const end = output.indexOf("\n");
    return { winner: output.toString("utf8", 0, end) || null, file: output.subarray(end + 1) };
  }

  /** The process ends when its input does, and kills that of its policy. */
  stop(): void {
    this.#child.stdin.destroy();
  }

  /** The pipe stays open: the process ends when this one does. */
  async #send(line: RoundInput): Promise<void> {
    const { stdin } = this.#child;
    if (stdin.writable && !stdin.write(`${JSON.stringify(line)}\n`))
      await Promise.race([once(stdin, "drain"), once(stdin, "close")]);
  }
}
