/**
 * The client as authors of agents get it: publint checks the tarball, and a starter into which npm has installed it is
 * imported by Node 20, 22, the current Node and Bun.
 */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { getEnvironment } from "../../backend/config/environment.ts";
import { renderStarter } from "../../scripts/new-bot/files.ts";
import { buildPackage, getPackageDir } from "../../scripts/packages/build.ts";
import { CLIENT_PACKAGE } from "../../scripts/packages/client.ts";
import { packPackage } from "../../scripts/packages/pack.ts";
import { root } from "../../scripts/start/build.ts";
import type { Check } from "./check.ts";
import { lintPackage } from "./lint-package.ts";
import { node22 } from "./nodes.ts";

const INSTALL_TIMEOUT_MS = 300_000;

const toBinary = (path: string): string => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
const system = `${process.platform}-${process.arch}`;
/** Node 20 and Bun are in the packages here for Linux on x64. */
const RUNTIMES = [
  process.execPath,
  node22,
  toBinary(`node20-${system}/bin/node`),
  toBinary(`@oven/bun-${system}/bin/bun`),
];

/** Prints the runtime, and whether each entry of the package exports something. */
const IMPORTS = `
const names = ["@agent-arcade/client", "@agent-arcade/client/training", "@agent-arcade/client/replay"];
const counts = await Promise.all(names.map(async (name) => Object.keys(await import(name)).length));
const { bun, node } = process.versions;
console.log(bun === undefined ? "Node" : "Bun", bun ?? node, counts.every((count) => count > 0) ? "ok" : "an entry exports nothing");
`;

const run = promisify(execFile);

/** A starter with the tarball of the folder, after `npm install`. Throws with npm's message. */
async function installStarter(folder: string, tarball: string): Promise<void> {
  const { dependencies: versions } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly dependencies: { readonly [name: string]: string };
  };
  const files = renderStarter({ slug: "flappybots", url: "http://127.0.0.1:4100", tarball, versions });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    env: { ...getEnvironment(), npm_config_loglevel: "error" },
    timeout: INSTALL_TIMEOUT_MS,
  });
}

/** Errors of the installed package's imports by a runtime. */
async function importBy(runtime: string, folder: string): Promise<string[]> {
  const failed = (error: unknown) => ({ stdout: (error as Error).message });
  writeFileSync(join(folder, "imports.mjs"), IMPORTS);
  const { stdout } = await run(runtime, ["imports.mjs"], { cwd: folder }).catch(failed);
  if (!stdout.trim().endsWith(" ok")) return [`imports: ${stdout.trim().split("\n").slice(0, 4).join(" ")}`];
  console.log(`  installed by npm, imported by ${stdout.trim().slice(0, -" ok".length)}`);
  return [];
}

/** Injects two faults into a manifest: missing types and a missing entry. Returns an empty list if one is not found. */
async function listFoundFaults(folder: string): Promise<string[]> {
  const copy = join(folder, "faulty");
  cpSync(getPackageDir(CLIENT_PACKAGE), copy, { recursive: true });
  const path = join(copy, "package.json");
  const manifest = readFileSync(path, "utf8");
  const found: string[] = [];
  for (const [from, to] of [
    ["./types/client/index.d.ts", "./types/index.d.ts"],
    ["./training.js", "./train.js"],
  ] as const) {
    writeFileSync(path, manifest.replaceAll(from, to));
    const [first] = await lintPackage(copy);
    if (first === undefined) return [];
    console.log(`  ${to}: ${first}`);
    found.push(first);
  }
  return found;
}

export const clientPackage: Check = async ({ isSelfTest }) => {
  await buildPackage(CLIENT_PACKAGE);
  const folder = mkdtempSync(join(tmpdir(), "arcade-package-"));
  try {
    if (isSelfTest) return await listFoundFaults(folder);
    const errors = await lintPackage(getPackageDir(CLIENT_PACKAGE));
    const { filename } = await packPackage(CLIENT_PACKAGE, folder);
    await installStarter(folder, filename);
    for (const runtime of RUNTIMES.filter((path) => !existsSync(path)))
      console.log(`  left out, not installed: ${runtime.slice(runtime.indexOf("node_modules"))}`);
    for (const runtime of RUNTIMES.filter(existsSync)) errors.push(...(await importBy(runtime, folder)));
    return errors;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
