/** A copy of the repository's sources in a temporary folder, for running commands in it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/start/build.ts";

const run = promisify(execFile);
/** Files that a clone lacks and that would take minutes to build. */
const LINKED_FOLDERS = ["node_modules", "artifacts", "cache"];

export interface RepositoryCopy {
  readonly path: (...names: string[]) => string;
  /** Names of the files that have changed since the copy. */
  getChangedFiles(): string[];
  /** Runs `npm run NAME -- …` to its end. Returns stdout; throws with the whole output if it fails. */
  npm(name: string, args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  /** Starts `npm run NAME -- …`; resolves with its first line of stdout. */
  start(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string>;
  /** Starts `npm run serve` on any port; resolves with its URL when it is ready. */
  serve(env: NodeJS.ProcessEnv): Promise<string>;
  /** Runs a script or a tool of node_modules with this Node. */
  node(script: string, ...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
  /** Ends the started processes and removes the folder. */
  close(): Promise<void>;
}

/** Every file that git tracks or would track, as it is in the working tree. */
export async function copyRepository(): Promise<RepositoryCopy> {
  const directory = mkdtempSync(join(tmpdir(), "arcade-copy-"));
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const copied = new Map<string, Buffer>();
  for (const name of stdout.split("\0")) {
    if (name === "" || !existsSync(join(root, name))) continue;
    // Keeps the times, so that files built from these sources are still newer than they are.
    cpSync(join(root, name), join(directory, name), { preserveTimestamps: true });
    copied.set(name, readFileSync(join(directory, name)));
  }
  for (const name of LINKED_FOLDERS) symlinkSync(join(root, name), join(directory, name));

  const running = new Set<ChildProcess>();
  const spawnNpm = (name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess => {
    const child = spawn("npm", ["run", "--silent", name, "--", ...args], {
      cwd: directory,
      env: { ...process.env, INIT_CWD: directory, NO_COLOR: "1", ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    child.once("exit", () => running.delete(child));
    return child;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(
      [...running].map(async (child) => {
        // npm ends at once on a signal. Its pipe closes only when the service has ended too.
        const exited = once(child, "close");
        process.kill(-child.pid!, "SIGTERM");
        await exited;
      }),
    );
  };
  return {
    path: (...names) => join(directory, ...names),
    getChangedFiles: () =>
      [...copied].filter(([name, bytes]) => !readFileSync(join(directory, name)).equals(bytes)).map(([name]) => name),
    async npm(name, args = [], env) {
      const child = spawnNpm(name, args, env);
      let stdout = "";
      let stderr = "";
      child.stdout!.on("data", (chunk) => {
        stdout += chunk;
      });
      child.stderr!.on("data", (chunk) => {
        stderr += chunk;
      });
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`npm run ${name} ${args.join(" ")} ended with ${code}:\n${stdout}\n${stderr}`);
      return stdout;
    },
    async start(name, args, env) {
      const child = spawnNpm(name, args, env);
      let stdout = "";
      let stderr = "";
      child.stderr!.on("data", (chunk) => {
        stderr += chunk;
      });
      for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
        stdout += String(chunk);
        if (stdout.includes("\n")) break;
      }
      if (!stdout.includes("\n")) throw new Error(`npm run ${name} said nothing but:\n${stderr}`);
      child.stdout!.resume();
      return stdout.slice(0, stdout.indexOf("\n"));
    },
    async serve(env) {
      // Logs enabled, since the line `ready` has the port and tests normally run silently.
      const child = spawnNpm("serve", [], { ...env, ARCADE_PORT: "0", ARCADE_LOG_LEVEL: "info" });
      child.stdout!.resume();
      let log = "";
      for await (const chunk of child.stderr!.iterator({ destroyOnReturn: false })) {
        log += String(chunk);
        const line = log.split("\n").find((text) => text.includes('"msg":"ready"') && text.endsWith("}"));
        if (line === undefined) continue;
        child.stderr!.resume();
        return (JSON.parse(line) as { httpUrl: string }).httpUrl;
      }
      throw new Error(`npm run serve ended:\n${log}`);
    },
    async node(script, ...args) {
      const { stdout } = await run(process.execPath, [script, ...args], { cwd: directory }).catch((error) => {
        throw new Error(`${script} ${args.join(" ")} failed:\n${error.stdout}\n${error.stderr}`);
      });
      return stdout;
    },
    stop,
    async close() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
