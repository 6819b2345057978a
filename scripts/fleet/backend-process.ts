/** A backend of a fleet on one machine (`npm run serve`), restarted whenever it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { EXIT } from "../cli/failures.ts";
import { root } from "../start/build.ts";

const RESTART_PAUSE_MS = 500;
const STOP_TIMEOUT_MS = 15_000;
const SERVE = [process.execPath, "scripts/run.mjs", "serve"];
/** On a busy machine, a lease may run out while its backend starts. */
const FIRST_STARTS_MAX = 5;
/** pino's number of `warn`. */
const WARN_LEVEL = 40;

/**
 * The shell waits for the end of its input, so that the backend ends with the process that started it. Descriptor 3 is
 * the input, because background programs have none.
 */
const SUPERVISE =
  'exec 3<&0; "$@" </dev/null 3<&- & child=$!; echo "{\\"processId\\":$child}"; { cat <&3; kill -9 $child; } >/dev/null 2>&1 & exec 3<&-; wait $child';

export interface BackendProcessOptions {
  /** The backend's number in messages, from 1. */
  readonly number: number;
  readonly env: { readonly [name: string]: string | undefined };
  /** Prints a line for the user: the backend's warnings, and its end. */
  readonly onMessage: (text: string) => void;
  /** The program to run as the backend; `serve` by default. */
  readonly command?: readonly string[];
  /** How long a stop waits before it kills the backend, in milliseconds. */
  readonly stopTimeoutMs?: number;
}

export interface FleetBackend {
  readonly number: number;
  /** Its URL; null while it starts. */
  readonly httpUrl: string | null;
  /** The current process, or the last one. */
  readonly processId: number | null;
  /** Signals the backend; does nothing if none runs. */
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it is ready; again after each restart. Throws if it cannot start the first time. */
  waitUntilReady(): Promise<string>;
  /** Stops it for good, by force if it does not end in time. */
  stop(): Promise<void>;
}

interface LogLine {
  readonly level?: number;
  readonly msg?: string;
  readonly httpUrl?: string;
  /** Printed in the shell's own line. */
  readonly processId?: number;
}

/** Output that is not a log line, such as a command's error, is printed unchanged. */
function parseLine(line: string): LogLine {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === "object" && parsed !== null) return parsed as LogLine;
  } catch {
    // A message.
  }
  return { level: WARN_LEVEL, msg: line };
}

/** Starts the backend; it is ready when `waitUntilReady` resolves. */
export function startBackendProcess(options: BackendProcessOptions): FleetBackend {
  const backend = new BackendProcess(options);
  backend.start();
  return backend;
}

class BackendProcess implements FleetBackend {
  httpUrl: string | null = null;
  processId: number | null = null;
  readonly #options: BackendProcessOptions;
  #child: ChildProcess | null = null;
  #ended = Promise.resolve();
  /** False until the shell has reported the process id of this start. */
  #isProcessKnown = false;
  #hasBeenReady = false;
  #starts = 0;
  #isStopping = false;
  #ready = createReadySignal();

  constructor(options: BackendProcessOptions) {
    this.#options = options;
  }

  get number(): number {
    return this.#options.number;
  }

  start(): void {
    const { command = SERVE, env } = this.#options;
    this.#starts += 1;
    this.#isProcessKnown = false;
    const child = spawnBackend(command, env, (line) => this.#handleLine(line));
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("close", (code, signal) => {
        this.#handleEnd(code, signal);
        resolve();
      });
    });
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#isRunning()) process.kill(-this.#child!.pid!, signal);
  }

  waitUntilReady(): Promise<string> {
    return this.#ready.promise;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.httpUrl = null;
    // A stopped process gets other signals only when it continues.
    this.kill("SIGCONT");
    this.#askToStop();
    const force = setTimeout(() => this.kill("SIGKILL"), this.#options.stopTimeoutMs ?? STOP_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(force);
  }

  #isRunning(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Signal only the backend: a signal to the group would end the shell, which waits for it and can kill it. */
  #askToStop(): void {
    if (!this.#isProcessKnown) this.kill("SIGKILL");
    else if (this.#isRunning()) signalProcess(this.processId!, "SIGTERM");
  }

  #handleLine(text: string): void {
    const { number, onMessage } = this.#options;
    const line = parseLine(text);
    if (line.processId !== undefined) {
      this.processId = line.processId;
      this.#isProcessKnown = true;
    }
    if (line.msg === "ready" && line.httpUrl !== undefined) {
      this.#hasBeenReady = true;
      this.httpUrl = line.httpUrl;
      this.#ready.resolve(line.httpUrl);
    } else if (line.level !== undefined && line.level >= WARN_LEVEL) onMessage(`backend ${number}: ${line.msg}`);
  }

  #handleEnd(code: number | null, signal: NodeJS.Signals | null): void {
    const { number, onMessage } = this.#options;
    const cause = code === null ? String(signal) : `exit code ${code}`;
    this.httpUrl = null;
    if (this.#isStopping) return;
    onMessage(`backend ${number}: ended with ${cause}`);
    // Wrong settings stay wrong: do not restart.
    if (!this.#hasBeenReady && (code === EXIT.usage || this.#starts >= FIRST_STARTS_MAX)) {
      this.#ready.reject(new Error(`backend ${number} ended with ${cause}`));
      return;
    }
    if (this.#hasBeenReady) this.#ready = createReadySignal();
    setTimeout(() => {
      if (!this.#isStopping) this.start();
    }, RESTART_PAUSE_MS);
  }
}

/** A promise of the backend's URL whose rejection needs no listener. */
function createReadySignal(): PromiseWithResolvers<string> {
  const ready = Promise.withResolvers<string>();
  ready.promise.catch(() => undefined);
  return ready;
}

/** The process may have ended before the shell noticed. */
function signalProcess(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(processId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function spawnBackend(
  command: readonly string[],
  env: BackendProcessOptions["env"],
  onLine: (line: string) => void,
): ChildProcess {
  // A separate process group: Ctrl-C in a terminal reaches only the command, which stops everything in order.
  const child = spawn("sh", ["-c", SUPERVISE, "sh", ...command], {
    cwd: root,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined);
  for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on("line", onLine);
  return child;
}
