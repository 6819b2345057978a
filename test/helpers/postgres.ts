/** A real PostgreSQL for tests: Debian's server on a free port of the loopback, with its data in a temporary folder. */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { findPostgresPrograms } from "./postgres-programs.ts";

const USER = "postgres";
const START_TIMEOUT_MS = 30_000;

export interface PostgresServer {
  /** Ends with the host: append the name of a database. */
  readonly url: string;
  /** A new database, empty or a copy of `template`; returns its URL. */
  createDatabase(template?: string): Promise<string>;
  dropDatabase(databaseUrl: string): Promise<void>;
  /** Ends the server as a crash does, and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

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
const SUPERVISE = '"$@" </dev/null & cat >/dev/null; $STOP; rm -rf "$FOLDER"';

/** Starts a server. `settings` are given as `-c name=value`; commits do not wait for the disk unless they say so. */
export async function startPostgres(settings: readonly string[] = ["fsync=off"]): Promise<PostgresServer> {
  const programs = findPostgresPrograms();
  if (programs === null) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  const folder = makeDataFolder(programs);
  const port = await findFreePort();
  const options = ["listen_addresses=127.0.0.1", `port=${port}`, "unix_socket_directories=", "max_connections=200"];
  const command = [
    ...[join(programs, "postgres"), "-D", join(folder, "data")],
    ...[...options, ...settings].flatMap((setting) => ["-c", setting]),
  ];
  const control = (verb: string): readonly string[] =>
    asPostgresUser([join(programs, "pg_ctl"), "-D", join(folder, "data"), "-m", "immediate", "-w", verb]);
  const supervisor = spawn("sh", ["-c", SUPERVISE, "sh", ...asPostgresUser(command)], {
    cwd: folder,
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
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await run("select 1");
      break;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await sleep(50);
    }
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
    async restart() {
      const [program, ...args] = control("restart");
      execFileSync(program!, args, { cwd: folder, stdio: "ignore" });
    },
    async stop() {
      supervisor.stdin.end();
      await ended;
    },
  };
}

/** Declares the tests where the server is installed; the test commands say so where it is not. */
export const describePostgres = (title: string, declareTests: (this: Mocha.Suite) => void): void => {
  if (findPostgresPrograms() !== null) describe(title, declareTests);
};
