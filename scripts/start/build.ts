/** Builds what a clone does not hold (the site's files, compiled contracts, the client's package), cached by content. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getEnvironment } from "../../backend/config/environment.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const webDir = join(root, "web/dist");

/** Files below each path (a folder or a file), relative to the root, sorted. */
async function listFiles(paths: readonly string[], ignoredFolders: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    paths.map(async (path) => {
      const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => null);
      if (entries === null) return [path];
      const names = entries.map(({ name }) => `${path}/${name}`).filter((name) => !ignoredFolders.includes(name));
      return listFiles(names, ignoredFolders);
    }),
  );
  return lists.flat().sort();
}

/** SHA-256 over names and contents of the files below the paths. */
export async function hashContent(paths: readonly string[], ignoredFolders: readonly string[] = []): Promise<string> {
  const hash = createHash("sha256");
  for (const path of await listFiles(paths, ignoredFolders)) {
    hash
      .update(`${path}\0`)
      .update(await readFile(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * Runs `build` unless `marker` says that the last successful one had the same inputs. Returns true where it ran.
 * @param marker File that keeps the hash of the inputs; inside the output's folder, so that both disappear together.
 */
export async function buildOnce(marker: string, inputsHash: string, build: () => Promise<void>): Promise<boolean> {
  if ((await readFile(marker, "utf8").catch(() => null)) === inputsHash) return false;
  await build();
  await mkdir(dirname(marker), { recursive: true });
  await writeFile(marker, inputsHash);
  return true;
}

/** Runs a script with this Node in the root; its output is shown only when it fails. */
function runScript(script: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...getEnvironment(), NO_COLOR: "1" },
    });
    let output = "";
    const collect = (chunk: unknown): void => {
      output += chunk;
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${script} ${args.join(" ")} failed:\n${output.slice(-4000)}`)),
    );
  });
}

/** Compiles the contracts, without their tests in Solidity, unless nothing changed. Returns true where it compiled. */
export async function compileContracts(onCompile: () => void = () => {}): Promise<boolean> {
  const packages = ["node_modules/solc/package.json", "node_modules/@openzeppelin/contracts/package.json"];
  const inputsHash = await hashContent(["contracts", "hardhat.config.ts", ...packages]);
  return buildOnce(join(root, "artifacts/.inputs.sha256"), inputsHash, async () => {
    onCompile();
    await runScript("node_modules/hardhat/dist/src/cli.js", ["build", "--no-tests", "--quiet"]);
  });
}

/** Builds the site into `web/dist` unless nothing changed. Returns true where it was built. */
export async function buildSite(): Promise<boolean> {
  const sources = ["web", "backend/games", "backend/domain", "client", "package.json"];
  return buildOnce(join(webDir, ".inputs.sha256"), await hashContent(sources, ["web/dist"]), async () => {
    const { bundleSite } = await import("../../web/bundle.ts");
    await bundleSite(webDir);
  });
}
