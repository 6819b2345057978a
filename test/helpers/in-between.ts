/** PgBouncer, HAProxy and nginx for tests: Debian's programs on free ports, with their files in temporary folders. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort, PortTakenError, startOnFreePort } from "../../scripts/fleet/free-port.ts";
import { listMissingPrograms, PROGRAMS } from "./postgres-programs.ts";
import { waitUntil } from "./wait-until.ts";

/** Declares tests that need all of these programs; the test commands report a missing one. */
export const describeBetween = (title: string, declareTests: (this: Mocha.Suite) => void): void => {
  if (listMissingPrograms().length === 0) describe(title, declareTests);
};

const NGINX = "/usr/sbin/nginx";

/** Declares tests that need nginx only. */
export const describeBehindNginx = (title: string, declareTests: (this: Mocha.Suite) => void): void => {
  if (existsSync(NGINX)) describe(title, declareTests);
};

export interface RunningProgram {
  readonly port: number;
  stop(): Promise<void>;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

/** How to run each program with the configuration in the file `config` of `folder`. */
const COMMANDS = {
  pgbouncer: (config: string) => [PROGRAMS.pgbouncer, config],
  haproxy: (config: string) => [PROGRAMS.haproxy, "-db", "-f", config],
  nginx: (config: string, folder: string) => [NGINX, "-e", "stderr", "-p", folder, "-c", config],
} as const;

/** `prefix` runs the program as another user. */
async function start(
  name: keyof typeof COMMANDS,
  prefix: readonly string[],
  createConfig: (port: number) => string,
): Promise<RunningProgram> {
  return startOnFreePort(async (port) => {
    const folder = mkdtempSync(join(tmpdir(), `arcade-${name}-`));
    const config = join(folder, "config");
    // The program runs as another user.
    chmodSync(folder, 0o755);
    writeFileSync(config, createConfig(port), { mode: 0o644 });
    const [command, ...rest] = [...prefix, ...COMMANDS[name](config, folder)];
    const child = spawn(command!, rest, { cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (text) => {
      errors += text;
    });
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const stop = async (): Promise<void> => {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    };
    try {
      await waitUntil(async () => child.exitCode !== null || (await answers(port)));
      if (child.exitCode !== null) throw new (errors.includes("in use") ? PortTakenError : Error)(`${name}: ${errors}`);
    } catch (error) {
      await stop();
      throw error;
    }
    return { port, stop };
  }, findFreePort);
}

/** PgBouncer in front of a database on the loopback, without passwords; `settings` are lines of its configuration. */
export function startPgBouncer(databaseUrl: string, settings: readonly string[]): Promise<RunningProgram> {
  const { hostname, port: target, pathname, username } = new URL(databaseUrl);
  const prefix = process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  const database = `* = host=${hostname} port=${target} dbname=${pathname.slice(1)} user=${username}`;
  return start("pgbouncer", prefix, (port) =>
    [
      ...["[databases]", database, "[pgbouncer]", "listen_addr = 127.0.0.1", `listen_port = ${port}`],
      ...["auth_type = any", "unix_socket_dir =", "max_client_conn = 500", ...settings, ""],
    ].join("\n"),
  );
}

/** HAProxy with the configuration of deploy/fleet, for backends on this machine. */
export function startShippedBalancer(backendPorts: readonly number[]): Promise<RunningProgram> {
  const config = readFileSync(new URL("../../deploy/fleet/haproxy.cfg", import.meta.url), "utf8");
  return startHaproxy((port) =>
    config
      .replace(/^resolvers docker\n.*\n/m, "")
      .replace("bind :4100", `bind 127.0.0.1:${port}`)
      .replaceAll(/server-template backend 8 backend:4100(.*) resolvers .*/g, (_, settings: string) =>
        backendPorts.map((backend) => `server b${backend} 127.0.0.1:${backend}${settings}`).join("\n    "),
      ),
  );
}

export const startHaproxy = (createConfig: (port: number) => string): Promise<RunningProgram> =>
  start("haproxy", [], createConfig);

/** nginx with the configuration of deploy/fleet, but without TLS, in front of a backend on this machine. */
export function startShippedNginx(backendPort: number): Promise<RunningProgram> {
  const site = readFileSync(new URL("../../deploy/fleet/nginx.conf", import.meta.url), "utf8");
  return start("nginx", [], (port) =>
    [
      // One process, which ends by one signal.
      ...["daemon off;", "master_process off;", "pid pid;", "events {}", "http {", "access_log off;"],
      ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`),
      site
        .replace("listen 443 ssl http2;", `listen 127.0.0.1:${port};`)
        .replaceAll(/^ *ssl_certificate.*\n/gm, "")
        .replace("server 127.0.0.1:4100;", `server 127.0.0.1:${backendPort};`),
      "}",
    ].join("\n"),
  );
}
