/** A policy in a separate process: the engine bounds it, and this side kills the process if a bound was missed. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Run } from "../../../domain/league/course.ts";
import { PolicyFault } from "../../../domain/league/policy-fault.ts";
import type { ChildAnswer, ChildCommand, ChildFault, CourseRequest } from "./child.ts";

export const PROCESS_LIMITS = {
  memoryBytes: 512 * 1024 * 1024,
  /** CPU time after which a policy that has not answered is stopped. */
  silentCpuMs: 3_000,
  /** The same by the clock, for a system without /proc. */
  silentMs: 60_000,
  /** CPU time of all courses for each tick that they can have, on top of the time above. */
  meanTickCpuMs: 5,
} as const;

const POLL_MS = 50;
const PAGE_BYTES = 4096;
/** Linux counts CPU time in hundredths of a second (`sysconf(_SC_CLK_TCK)`). */
const CPU_TICK_MS = 10;

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The process reads its own program and nothing else; it has no network to speak of, since nothing opens a socket. */
const READABLE = ["package.json", "node_modules/*", "domain/*", "games/*", "backend/adapters/policies/*"];
const FLAGS = [
  "--permission",
  ...READABLE.map((path) => `--allow-fs-read=${ROOT}${path}`),
  "--no-addons",
  "--no-warnings",
  "--max-old-space-size=128",
  "--max-semi-space-size=8",
];

interface Pending {
  readonly id: number;
  readonly onAnswer: (answer: ChildAnswer) => void;
  readonly reject: (error: PolicyFault) => void;
}

interface Usage {
  readonly residentBytes: number;
  readonly cpuMs: number;
}

interface StartOptions {
  /**
   * The process starts with the priority of this one, and then lowers it. Its start takes 200 ms of CPU time, which is
   * several seconds with a low priority on a busy machine. Only where few processes start.
   */
  readonly isPrompt?: boolean;
}

interface PlayOptions {
  /** Gets each course as it ends. */
  readonly onRun: (run: Run) => void;
  /** CPU time of the process; only measured if the system has /proc. */
  readonly cpuMsMax?: number;
}

/** What is known of a command that runs. */
interface Watch {
  /** The last answer. */
  sinceMs: number;
  silentFromCpuMs: number | null;
  readonly cpuMsMax: number;
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

/** The processes that run. They end with this one. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

function spawnChild(isPrompt: boolean): ChildProcess {
  const child = spawn(process.execPath, [...FLAGS, fileURLToPath(new URL("child.ts", import.meta.url))], {
    cwd: tmpdir(),
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
  // A process that could not be started has no id and never exits.
  if (child.pid !== undefined) {
    running.add(child);
    child.once("exit", () => running.delete(child));
    try {
      // Ticks and requests have a higher priority.
      if (!isPrompt) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // The process has already ended; the request will notice.
    }
  }
  return child;
}

const toPolicyFault = ({ kind, text, line, column }: ChildFault): PolicyFault =>
  new PolicyFault(kind, text, line === null ? null : { line, column: column ?? 1 });

export class PolicyProcess {
  readonly #child: ChildProcess;
  #pending: Pending | null = null;
  #nextId = 1;
  #text = "";
  #failure: PolicyFault | null = null;

  private constructor(isPrompt: boolean) {
    this.#child = spawnChild(isPrompt);
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => this.#onData(text));
    this.#child.stdin!.on("error", () => {});
    this.#child.once("error", () =>
      this.#fail(new PolicyFault("stopped", "The policy's process could not be started.")),
    );
    this.#child.once("exit", () => this.#fail(new PolicyFault("stopped", "The policy's process ended.")));
  }

  /** Starts a process with a policy. Throws `PolicyFault`. */
  static async start(text: string, { isPrompt = false }: StartOptions = {}): Promise<PolicyProcess> {
    const started = new PolicyProcess(isPrompt);
    try {
      await started.#ask({ command: "load", text });
      return started;
    } catch (error) {
      started.stop();
      throw error;
    }
  }

  /** The policy's move for a frame, as it gave it. Throws `PolicyFault`. */
  async move(frame: object): Promise<unknown> {
    const { move } = await this.#ask({ command: "move", frame: JSON.stringify(frame) });
    return JSON.parse(move!);
  }

  /** Plays one course after the other. Throws `PolicyFault` if the process was stopped. */
  async play(courses: CourseRequest, options: PlayOptions): Promise<void> {
    await this.#ask({ command: "play", ...courses }, options);
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }

  async #ask(
    command: DistributiveOmit<ChildCommand, "id">,
    { onRun, cpuMsMax = Number.POSITIVE_INFINITY }: Partial<PlayOptions> = {},
  ): Promise<ChildAnswer> {
    if (this.#failure !== null) throw this.#failure;
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<ChildAnswer>();
    const watch = { sinceMs: performance.now(), silentFromCpuMs: null as number | null, cpuMsMax };
    const poll = setInterval(() => void this.#checkUsage(watch), POLL_MS);
    const onAnswer = (answer: ChildAnswer): void => {
      watch.sinceMs = performance.now();
      watch.silentFromCpuMs = null;
      if (answer.run !== undefined) onRun?.(answer.run);
      if (!answer.isDone) return;
      const { fault } = answer;
      if (fault === undefined) resolve(answer);
      else reject(toPolicyFault(fault));
    };
    this.#pending = { id, onAnswer, reject };
    this.#child.stdin!.write(`${JSON.stringify({ id, ...command })}\n`);
    return promise.finally(() => {
      clearInterval(poll);
      this.#pending = null;
    });
  }

  /** Ends a policy that uses too much, or that does not answer. A process that gets no CPU is waited for. */
  async #checkUsage(watch: Watch): Promise<void> {
    const usage = await readUsage(this.#child.pid!);
    const { memoryBytes, silentCpuMs, silentMs } = PROCESS_LIMITS;
    if (usage === null) {
      // The clock has to do.
      if (performance.now() - watch.sinceMs >= silentMs)
        this.#fail(new PolicyFault("stopped", `The policy did not return within ${silentMs / 1000} s.`));
      return;
    }
    watch.silentFromCpuMs ??= usage.cpuMs;
    if (usage.residentBytes > memoryBytes)
      this.#fail(new PolicyFault("memory", `The policy used more than ${memoryBytes / 1024 / 1024} MB.`));
    if (usage.cpuMs > watch.cpuMsMax)
      this.#fail(new PolicyFault("stopped", `The policy used more than ${watch.cpuMsMax / 1000} s of CPU time.`));
    if (usage.cpuMs - watch.silentFromCpuMs >= silentCpuMs)
      this.#fail(new PolicyFault("stopped", `The policy did not return within ${silentCpuMs / 1000} s of CPU time.`));
  }

  #onData(chunk: string): void {
    const lines = (this.#text + chunk).split("\n");
    this.#text = lines.pop()!;
    for (const line of lines) {
      const answer = JSON.parse(line) as ChildAnswer;
      if (answer.id === this.#pending?.id) this.#pending.onAnswer(answer);
    }
  }

  #fail(error: PolicyFault): void {
    this.#failure ??= error;
    this.#pending?.reject(this.#failure);
    this.stop();
  }
}

type DistributiveOmit<Value, Key extends PropertyKey> = Value extends unknown ? Omit<Value, Key> : never;
