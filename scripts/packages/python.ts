/** The package for Python: the games' rules as one file for Node, and the wheel. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { CommandError } from "../cli/failures.ts";
import { root } from "../start/build.ts";

const FOLDER = join(root, "client-python");

/** Bundles the rules into the package; renames the file at the end, so that readers never see a partial one. */
export async function bundleRules(): Promise<void> {
  const target = join(FOLDER, "agent_arcade/rules.mjs");
  const work = `${target}.${process.pid}`;
  await build({
    absWorkingDir: root,
    entryPoints: ["scripts/training-bridge/rules.ts"],
    outfile: work,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
  });
  await rename(work, target).finally(() => rm(work, { force: true }));
}

/** Writes the wheel to a folder and returns its path. Throws `CommandError` if Python fails. */
export async function writeWheel(folder: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
  await bundleRules();
  const { stdout } = await promisify(execFile)("python3", ["-B", join(FOLDER, "backend.py"), folder, version]).catch(
    (error: Error) => {
      throw new CommandError(`python3 did not write the wheel: ${error.message}`);
    },
  );
  return stdout.trim();
}
