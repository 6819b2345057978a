/** A copy of the repository's sources in a temporary folder, in which commands are run as a developer would. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/start/build.ts";

const run = promisify(execFile);
/** What a clone does not hold and would take minutes to make again. */
const SHARED = ["node_modules", "artifacts", "cache"];

export interface Copy {
  readonly path: (...names: string[]) => string;
  /** Names of the files that are no longer as they were copied. */
  changed(): string[];
  /** `npm run NAME -- …` to its end; answers stdout, throws with all words where it fails. */
  npm(name: string, args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  /** `npm run NAME -- …` up to its first line of stdout. */
  start(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string>;
  /** A script or a tool of node_modules, by this Node. */
  node(script: string, ...args: readonly string[]): Promise<string>;
  /** Ends what was started and removes the folder. */
  close(): Promise<void>;
}

/** Every file that git tracks or would track, as it is in the working tree. */
export async function copyRepository(): Promise<Copy> {
  const folder = mkdtempSync(join(tmpdir(), "arcade-copy-"));
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const copied = new Map<string, Buffer>();
  for (const name of stdout.split("\0")) {
    if (name === "" || !existsSync(join(root, name))) continue;
    // Times are kept: what was built of these sources is then still newer than they are.
    cpSync(join(root, name), join(folder, name), { preserveTimestamps: true });
    copied.set(name, readFileSync(join(folder, name)));
  }
  for (const name of SHARED) symlinkSync(join(root, name), join(folder, name));

  const running = new Set<ChildProcess>();
  const spawnNpm = (name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess => {
    const child = spawn("npm", ["run", "--silent", name, "--", ...args], {
      cwd: folder,
      env: { ...process.env, INIT_CWD: folder, NO_COLOR: "1", ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    child.once("exit", () => running.delete(child));
    return child;
  };
  return {
    path: (...names) => join(folder, ...names),
    changed: () =>
      [...copied].filter(([name, bytes]) => !readFileSync(join(folder, name)).equals(bytes)).map(([name]) => name),
    async npm(name, args = [], env) {
      const child = spawnNpm(name, args, env);
      let out = "";
      let words = "";
      child.stdout!.on("data", (chunk) => {
        out += chunk;
      });
      child.stderr!.on("data", (chunk) => {
        words += chunk;
      });
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`npm run ${name} ${args.join(" ")} ended with ${code}:\n${out}\n${words}`);
      return out;
    },
    async start(name, args, env) {
      const child = spawnNpm(name, args, env);
      let out = "";
      let words = "";
      child.stderr!.on("data", (chunk) => {
        words += chunk;
      });
      for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
        out += String(chunk);
        if (out.includes("\n")) break;
      }
      if (!out.includes("\n")) throw new Error(`npm run ${name} said nothing but:\n${words}`);
      child.stdout!.resume();
      return out.slice(0, out.indexOf("\n"));
    },
    async node(script, ...args) {
      const { stdout: out } = await run(process.execPath, [script, ...args], { cwd: folder }).catch((fault) => {
        throw new Error(`${script} ${args.join(" ")} failed:\n${fault.stdout}\n${fault.stderr}`);
      });
      return out;
    },
    async close() {
      await Promise.all(
        [...running].map(async (child) => {
          // npm ends at once on a signal; its pipe is closed when the service behind it has ended, too.
          const exited = once(child, "close");
          process.kill(-child.pid!, "SIGTERM");
          await exited;
        }),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
