import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { root } from "../scripts/start/build.ts";

/** Installs what the lock of a tool's folder names, unless it is there already. Throws where npm fails. */
export function installPackages(folder: string, terminal: Terminal): void {
  const cwd = join(root, folder);
  const done = join(cwd, "node_modules/.package-lock.json");
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(join(cwd, "package-lock.json")).mtimeMs) return;
  terminal.print(`installing the packages of ${folder}, once …`);
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd,
    stdio: ["ignore", terminal.json ? 2 : "inherit", "inherit"],
  });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}/`);
}
