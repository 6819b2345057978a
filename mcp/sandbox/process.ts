/** A policy in a separate process: no files, no network, no environment, bounded in time, memory and output. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import { ToolError } from "../errors.ts";
import { CHILD_PROGRAM, getHarness } from "./bundle.ts";

export const POLICY_LIMITS = {
  /** Characters of a policy's text. */
  characters: 65_536,
  /** CPU time of a tick; a move that took longer is dropped. */
  tickMs: 5,
  /** Late moves in a row that end a policy. */
  lateInARow: 100,
  memoryBytes: 256 * 1024 * 1024,
  /** CPU time after which a policy that has not answered is stopped, and the same by the clock. */
  silentCpuMs: 3_000,
  silentMs: 60_000,
  /** Characters that the process may write before the line ends. */
  lineCharacters: 1_000_000,
} as const;

/** The heap's own limit, below the one of the process, which is read from outside. */
const HEAP_MB = 128;
const POLL_MS = 50;
const PAGE_BYTES = 4096;
/** Linux counts CPU time in hundredths of a second (`sysconf(_SC_CLK_TCK)`). */
const CPU_TICK_MS = 10;

const FLAGS = [
  "--permission",
  "--disallow-code-generation-from-strings",
  "--frozen-intrinsics",
  "--no-addons",
  "--no-warnings",
  `--max-old-space-size=${HEAP_MB}`,
  "--max-semi-space-size=8",
];

interface Failure {
  readonly error?: string;
  readonly line?: number | null;
}

export interface PolicyRun extends Failure {
  readonly score: number;
  readonly ticks: number;
  readonly firstTierTick: number | null;
  /** The tick of a failure. */
  readonly tick?: number;
}

interface Message extends Failure {
  readonly id: number;
  readonly isDone: boolean;
  readonly move?: unknown;
  readonly isLate?: boolean;
  readonly runs?: readonly PolicyRun[];
}

interface Request {
  readonly id: number;
  readonly onMessage: (message: Message) => void;
  readonly reject: (error: ToolError) => void;
}

interface Usage {
  readonly residentBytes: number;
  readonly cpuMs: number;
}

/** What a process uses; null if the system has no /proc, or the process has ended. */
async function readUsage(pid: number): Promise<Usage | null> {
  try {
    const [statm, stat] = await Promise.all(["statm", "stat"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8")));
    // The fields after the name of the program, which may hold spaces: utime and stime are the 12th and the 13th.
    const fields = stat!.slice(stat!.lastIndexOf(")") + 2).split(" ");
    return {
      residentBytes: Number(statm!.split(" ")[1]) * PAGE_BYTES,
      cpuMs: (Number(fields[11]) + Number(fields[12])) * CPU_TICK_MS,
    };
  } catch {
    return null;
  }
}

const toError = ({ error, line }: Failure, code: "POLICY_INVALID" | "POLICY_FAILED", tick?: number): ToolError => {
  const where = `${line == null ? "" : ` in line ${line}`}${tick === undefined ? "" : ` at tick ${tick}`}`;
  return new ToolError(code, `The policy failed${where}: ${error}.`, { line: line ?? null, tick: tick ?? null });
};

/**
 * The sandboxes that run. They end with this process: one whose policy does not return never finds out that its input has
 * ended.
 */
const runningSandboxes = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of runningSandboxes) child.kill("SIGKILL");
});

/** Starts the program of a sandbox. `program` is another one in tests only. */
export function spawnSandbox(program: string = CHILD_PROGRAM): ChildProcess {
  const child = spawn(process.execPath, [...FLAGS, "-e", program], {
    cwd: tmpdir(),
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
  // A process that could not be started has no id and never exits.
  if (child.pid !== undefined) {
    runningSandboxes.add(child);
    child.once("exit", () => runningSandboxes.delete(child));
    try {
      // Ticks and requests have a higher priority.
      setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has ended already, which the request finds out.
    }
  }
  return child;
}

export class PolicyProcess {
  readonly #child: ChildProcess;
  #request: Request | null = null;
  #nextId = 1;
  #pending = "";
  #failure: ToolError | null = null;
  #lateInARow = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout!.setEncoding("utf8").on("data", (text: string) => this.#onData(text));
    child.stdin!.on("error", () => {});
    child.once("error", () => this.#fail(new ToolError("POLICY_FAILED", "The policy's process could not be started.")));
    // V8 aborts a process whose heap is full.
    child.once("exit", (_, signal) =>
      this.#fail(
        signal === "SIGABRT"
          ? new ToolError("POLICY_MEMORY", "The policy used too much memory.")
          : new ToolError("POLICY_FAILED", "The policy's process ended."),
      ),
    );
  }

  /** Starts a process with a policy. Throws `ToolError`. */
  static async start(policy: string): Promise<PolicyProcess> {
    if (policy.length > POLICY_LIMITS.characters)
      throw new ToolError("POLICY_INVALID", `Expected at most ${POLICY_LIMITS.characters} characters of policy.`);
    // A module's error is an object of Node's; nothing of it may reach the policy.
    if (/\bimport\b/.test(policy))
      throw new ToolError("POLICY_INVALID", 'Expected a policy without the word "import": there is nothing to import.');
    const bundle = await getHarness();
    const started = new PolicyProcess(spawnSandbox());
    try {
      const answer = await started.#ask("load", { bundle, policy, budgetMs: POLICY_LIMITS.tickMs });
      if (answer.error !== undefined) throw toError(answer, "POLICY_INVALID");
      return started;
    } catch (error) {
      started.stop();
      throw error;
    }
  }

  /** The policy's move for a frame, null for none. Throws `ToolError`. */
  async tick(frame: { readonly tick: number }): Promise<{ readonly move: unknown; readonly isLate: boolean }> {
    const answer = await this.#ask("tick", { frame: JSON.stringify(frame) });
    if (answer.error !== undefined) throw toError(answer, "POLICY_FAILED", frame.tick);
    const { move = null, isLate = false } = answer;
    this.#lateInARow = isLate ? this.#lateInARow + 1 : 0;
    if (this.#lateInARow < POLICY_LIMITS.lateInARow) return { move, isLate };
    throw new ToolError(
      "POLICY_TIMEOUT",
      `The policy took more than ${POLICY_LIMITS.tickMs} ms in ${this.#lateInARow} ticks, one after the other.`,
    );
  }

  /** Plays the rules once for each seed, within `timeoutMs`: fewer runs if the time is over. Throws `ToolError`. */
  async simulate(
    slug: string,
    seeds: readonly string[],
    options: { readonly ticksMax: number; readonly timeoutMs: number },
  ): Promise<readonly PolicyRun[]> {
    const runs: PolicyRun[] = [];
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.stop();
    }, options.timeoutMs);
    try {
      await this.#ask("simulate", { slug, seeds, ticksMax: options.ticksMax }, (part) => runs.push(...part));
    } catch (error) {
      if (!isOver || runs.length === 0) throw error;
    } finally {
      clearTimeout(timer);
    }
    const failed = runs.find(({ error }) => error !== undefined);
    if (failed !== undefined) {
      const { code, message, fields } = toError(failed, "POLICY_FAILED", failed.tick);
      throw new ToolError(code, message, { ...fields, seed: runs.indexOf(failed) });
    }
    return runs;
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }

  async #ask(command: string, input: object, onRuns?: (runs: readonly PolicyRun[]) => void): Promise<Message> {
    if (this.#failure !== null) throw this.#failure;
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const silence = { sinceMs: performance.now(), cpuMs: null as number | null };
    const poll = setInterval(() => void this.#checkUsage(silence), POLL_MS);
    const onMessage = (message: Message): void => {
      silence.sinceMs = performance.now();
      silence.cpuMs = null;
      if (message.runs !== undefined) onRuns?.(message.runs);
      if (message.isDone) resolve(message);
    };
    this.#request = { id, onMessage, reject };
    this.#child.stdin!.write(`${JSON.stringify({ id, command, ...input })}\n`);
    return promise.finally(() => {
      clearInterval(poll);
      this.#request = null;
    });
  }

  /** Ends a policy that uses too much memory, or that does not answer. A process that gets no CPU is waited for. */
  async #checkUsage(silence: { readonly sinceMs: number; cpuMs: number | null }): Promise<void> {
    const usage = await readUsage(this.#child.pid!);
    const { memoryBytes, silentCpuMs, silentMs } = POLICY_LIMITS;
    if (usage !== null) {
      silence.cpuMs ??= usage.cpuMs;
      if (usage.residentBytes > memoryBytes)
        this.#fail(new ToolError("POLICY_MEMORY", `The policy used more than ${memoryBytes / 1024 / 1024} MB.`));
    }
    const usedMs = usage === null ? 0 : usage.cpuMs - silence.cpuMs!;
    if (usedMs < silentCpuMs && performance.now() - silence.sinceMs < silentMs) return;
    this.#fail(
      new ToolError("POLICY_TIMEOUT", `The policy did not return within ${silentCpuMs / 1000} s of CPU time.`),
    );
  }

  #onData(text: string): void {
    const lines = (this.#pending + text).split("\n");
    this.#pending = lines.pop()!;
    if (this.#pending.length > POLICY_LIMITS.lineCharacters)
      this.#fail(new ToolError("POLICY_FAILED", "The policy's process wrote too much."));
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      if (message.id === this.#request?.id) this.#request.onMessage(message);
    }
  }

  #fail(error: ToolError): void {
    this.#failure ??= error;
    this.#request?.reject(this.#failure);
    this.stop();
  }
}
