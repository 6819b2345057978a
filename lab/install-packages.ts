import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { root } from "../scripts/start/build.ts";

/** The folder of the lab's packages. */
export const labPackages = join(root, "lab/node_modules");

/** Installs the packages of `lab/package-lock.json` unless they are installed. Throws when npm fails. */
export function installPackages(terminal: Terminal): void {
  const cwd = join(root, "lab");
  const done = join(cwd, "node_modules/.package-lock.json");
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(join(cwd, "package-lock.json")).mtimeMs) return;
  terminal.print("installing the packages of the lab, once …");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd,
    stdio: ["ignore", terminal.json ? 2 : "inherit", "inherit"],
  });
  if (status !== 0) throw new Error("npm ci failed in lab/");
}
