/** A round in a separate process, which starts one process for each policy: ticks and requests do not wait for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { PlannedPolicy, PolicyRunner, RoundPlan } from "../../ports/policies.ts";

/** A line that the process reads. */
export type RoundInput = { readonly plan: RoundPlan } | { readonly policy: PlannedPolicy } | { readonly end: true };

type Played = Awaited<ReturnType<PolicyRunner["playRound"]>>;

const ERROR_CHARACTERS = 2000;

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
    const { pid, stdin, stdout, stderr } = this.#child;
    stdin.on("error", () => undefined);
    stdout.on("data", (chunk: Buffer) => this.#chunks.push(chunk));
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-ERROR_CHARACTERS);
      for (const line of text.split("\n")) if (line !== "") onProgress(line);
    });
    try {
      if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has ended already, which `play` finds out.
    }
  }

  async play(plan: RoundPlan, policies: AsyncIterable<PlannedPolicy>): Promise<Played> {
    const closed = once(this.#child, "close") as Promise<[number | null]>;
    closed.catch(() => undefined);
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
