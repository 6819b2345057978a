/** A separate nats-server on a free loopback port, for the fleet on one machine and for tests. */
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkInstalled, findNatsProgram } from "./programs.ts";

const START_TIMEOUT_MS = 30_000;

export interface NatsServer {
  readonly url: string;
  /** The server's process id, to measure its CPU; 0 while it does not run. */
  readonly pid: number;
  /** Kills the server. */
  kill(): Promise<void>;
  /** Restarts it on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The shell waits for the end of its input, so that the server ends with the process that started it. */
const SUPERVISE = '"$@" </dev/null & echo $!; cat >/dev/null; kill -9 $!; rm -rf "$FOLDER"';

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("data", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("close", () => resolve(false));
  }).then((isUp) => isUp as boolean);

async function waitFor<T>(find: () => T | null | Promise<T | null>): Promise<T> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const found = await find();
    if (found !== null) return found;
    if (performance.now() > deadlineMs) throw new Error("nats-server did not start in time");
    await sleep(20);
  }
}

/** `settings` are additional arguments. Throws `CommandError` if the server is not installed. */
export async function startNats(settings: readonly string[] = []): Promise<NatsServer> {
  const { "nats-server": program } = checkInstalled({ "nats-server": findNatsProgram() });
  let port = 0;
  let pid = 0;
  let end = async (): Promise<void> => undefined;

  async function start(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "arcade-nats-"));
    const args = ["-a", "127.0.0.1", "-p", port === 0 ? "-1" : String(port), "--ports_file_dir", folder, ...settings];
    const supervisor = spawn("sh", ["-c", SUPERVISE, "sh", program, ...args], {
      cwd: folder,
      // Ctrl-C in a terminal signals the group: keep the server until its users have stopped.
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", FOLDER: folder },
    });
    const ended = new Promise<void>((resolve) => supervisor.on("close", () => resolve()));
    end = async () => {
      supervisor.stdin.end();
      await ended;
      pid = 0;
    };
    supervisor.stdout.once("data", (text) => {
      pid = Number(String(text).trim());
    });
    port = await waitFor(() => readPort(folder));
    await waitFor(async () => ((await answers(port)) ? true : null));
  }
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return pid;
    },
    kill: () => end(),
    start,
    stop: () => end(),
  };
}

/** The server writes its addresses to a file once it listens. */
function readPort(folder: string): number | null {
  const [file] = globSync(join(folder, "*.ports"));
  if (file === undefined) return null;
  try {
    const { nats } = JSON.parse(readFileSync(file, "utf8")) as { readonly nats: readonly string[] };
    return Number(new URL(nats[0]!).port);
  } catch {
    return null;
  }
}
