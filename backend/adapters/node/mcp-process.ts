/** Starts the process of `/mcp` on the first request, and again after it has ended. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** How long the process may take to end before it is killed. */
const END_MS = 2_000;
/** The longest path of a Unix socket, without its final NUL, on the system with the lowest limit (macOS). */
const SOCKET_PATH_MAX_BYTES = 103;
const SOCKET = "mcp.sock";
const PROGRAM = fileURLToPath(new URL("../../../mcp/main.ts", import.meta.url));

interface McpProcessOptions {
  readonly baseUrl: () => string;
  readonly isLocal: boolean;
  readonly hasLeague: boolean;
  /** Proves to this service that a request comes from the process. */
  readonly ownKey: string;
  /** Where the socket goes if the system's temporary folder is read-only, missing, or has too long a path. */
  readonly dataDir: string;
}

interface Running {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly socketPath: string;
}

/** Ends the process by disconnecting it, which also ends the processes of policies. Kills it if it hangs. */
async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  if (child.connected) child.disconnect();
  await ended;
  clearTimeout(timer);
}

/** Makes a folder for the socket that only this user can open. */
async function createSocketFolder(dataDir: string): Promise<string> {
  for (const parent of [tmpdir(), dataDir, "/tmp"]) {
    const prefix = join(parent, "arcade-mcp-");
    if (Buffer.byteLength(join(`${prefix}XXXXXX`, SOCKET)) > SOCKET_PATH_MAX_BYTES) continue;
    const folder = await mkdtemp(prefix).catch(() => null);
    if (folder !== null) return folder;
  }
  throw new Error(`found no writable folder with a short path for the socket of /mcp; set TMPDIR to one`);
}

export class McpProcess {
  readonly #options: McpProcessOptions;
  #running: Promise<Running> | null = null;
  #isStopped = false;

  constructor(options: McpProcessOptions) {
    this.#options = options;
  }

  /** The path of its Unix socket. Rejects if the process cannot start or is stopped. */
  async getSocketPath(): Promise<string> {
    if (this.#isStopped) throw new Error("the service stops");
    this.#running ??= this.#start().catch((error: unknown) => {
      this.#running = null;
      throw error;
    });
    return (await this.#running).socketPath;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const running = await this.#running?.catch(() => null);
    if (running == null) return;
    await endProcess(running.child);
    await rm(running.folder, { recursive: true, force: true });
  }

  async #start(): Promise<Running> {
    const { baseUrl, dataDir, ...others } = this.#options;
    const folder = await createSocketFolder(dataDir);
    const socketPath = join(folder, SOCKET);
    const child = fork(PROGRAM, { env: {}, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    child.once("exit", () => {
      this.#running = null;
      void rm(folder, { recursive: true, force: true });
    });
    // Ticks have a higher priority.
    if (child.pid !== undefined) {
      try {
        setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
      } catch {
        // The service itself runs at a lower priority, or the process has ended, which is detected below.
      }
    }
    const ended = once(child, "exit").then(() => {
      throw new Error("the process of /mcp ended");
    });
    // Only a failed start is reported.
    ended.catch(() => {});
    child.send({ socketPath, baseUrl: baseUrl(), ...others });
    await Promise.race([once(child, "message"), ended]);
    return { child, folder, socketPath };
  }
}
