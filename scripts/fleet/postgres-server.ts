/**
 * A separate PostgreSQL for the fleet on one machine and for tests: Debian's server on a free loopback port, with its
 * data in a temporary folder.
 */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { findFreePort, PortTakenError, startOnFreePort } from "./free-port.ts";
import { checkInstalled, findPostgresPrograms } from "./programs.ts";

const USER = "postgres";
const START_TIMEOUT_MS = 30_000;

export interface PostgresServer {
  /** Ends with the host: append a database name. */
  readonly url: string;
  /** A new database, empty or a copy of `template`; returns its URL. */
  createDatabase(template?: string): Promise<string>;
  dropDatabase(databaseUrl: string): Promise<void>;
  /** Kills the server. */
  crash(): Promise<void>;
  /** Restarts it on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The server refuses to run as root. */
const asPostgresUser = (command: readonly string[]): readonly string[] =>
  process.getuid?.() === 0 ? ["runuser", "-u", USER, "--", ...command] : command;

function makeDataFolder(programs: string): string {
  const folder = mkdtempSync(join(tmpdir(), "arcade-postgres-"));
  if (process.getuid?.() === 0) {
    const id = (flag: string): number => Number(execFileSync("id", [flag, USER], { encoding: "utf8" }));
    chownSync(folder, id("-u"), id("-g"));
  }
  const [program, ...args] = asPostgresUser([
    join(programs, "initdb"),
    ...["-D", join(folder, "data"), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"],
  ]);
  execFileSync(program!, args, { cwd: folder, stdio: "pipe" });
  return folder;
}

/** The shell waits for the end of its input, so that the server ends with the process that started it. */
const SUPERVISE = '"$@" </dev/null >"$FOLDER/log" 2>&1 & cat >/dev/null; $STOP; rm -rf "$FOLDER"';

/** Resolves when this folder's server answers. Throws `PortTakenError`. */
async function waitUntilReady(folder: string, url: string): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const log = await readFile(join(folder, "log"), "utf8").catch(() => "");
    if (log.includes("Address already in use")) throw new PortTakenError(log);
    if (log.includes("ready to accept connections")) return;
    if (performance.now() > deadlineMs) throw new Error(`PostgreSQL at ${url} does not start: ${log}`);
    await sleep(50);
  }
}

/**
 * Starts a server. `settings` are passed as `-c name=value`; by default commits do not wait for the disk. Throws
 * `CommandError` if it is not installed.
 */
export const startPostgres = (
  settings: readonly string[] = ["fsync=off"],
  choosePort: () => Promise<number> = findFreePort,
): Promise<PostgresServer> => startOnFreePort((port) => startOnPort(port, settings), choosePort);

async function startOnPort(port: number, settings: readonly string[]): Promise<PostgresServer> {
  const { postgresql: programs } = checkInstalled({ postgresql: findPostgresPrograms() });
  const folder = makeDataFolder(programs);
  const options = ["listen_addresses=127.0.0.1", `port=${port}`, "unix_socket_directories=", "max_connections=200"];
  const command = [
    ...[join(programs, "postgres"), "-D", join(folder, "data")],
    ...[...options, ...settings].flatMap((setting) => ["-c", setting]),
  ];
  const control = (verb: string, ...more: readonly string[]): readonly string[] =>
    asPostgresUser([join(programs, "pg_ctl"), "-D", join(folder, "data"), "-m", "immediate", "-w", ...more, verb]);
  const supervisor = spawn("sh", ["-c", SUPERVISE, "sh", ...asPostgresUser(command)], {
    cwd: folder,
    // Ctrl-C in a terminal signals the group: keep the server until its users have stopped.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", FOLDER: folder, STOP: control("stop").join(" ") },
  });
  const ended = new Promise<void>((resolve) => supervisor.on("close", () => resolve()));
  supervisor.unref();
  const url = `postgres://${USER}@127.0.0.1:${port}/`;

  async function run(statement: string): Promise<void> {
    const client = new Client({ connectionString: `${url}postgres` });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }
  async function runControl(verb: string, ...more: readonly string[]): Promise<void> {
    const [program, ...args] = control(verb, ...more);
    execFileSync(program!, args, { cwd: folder, stdio: "ignore" });
  }
  /** Quoted for the shell. */
  const quoted = [...options, ...settings].map((setting) => `-c '${setting}'`).join(" ");
  async function stop(): Promise<void> {
    // Keeps an otherwise idle process alive until the end.
    supervisor.ref();
    supervisor.stdin.end();
    await ended;
  }
  try {
    await waitUntilReady(folder, url);
  } catch (error) {
    await stop();
    throw error;
  }

  let databases = 0;
  return {
    url,
    async createDatabase(template = "template0") {
      const name = `arcade_${databases++}`;
      await run(`create database ${name} template ${template}`);
      return `${url}${name}`;
    },
    dropDatabase: (databaseUrl) => run(`drop database ${databaseUrl.slice(url.length)} with (force)`),
    crash: () => runControl("stop"),
    start: () => runControl("start", "-o", quoted),
    stop,
  };
}
