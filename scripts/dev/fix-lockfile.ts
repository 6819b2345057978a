/**
 * `npm run fix:lockfile`: corrects package-lock.json and the locks of lab/. Run it after each change of a lock; a test
 * fails otherwise.
 *
 * 1. Removes `engines` of every dependency: npm under Node 20 silently leaves out optional packages whose `engines` it
 *    does not meet (Hardhat's native EDR among them), although every command here runs on the Node 24 of the lock.
 * 2. Adds entries for platform packages that npm left out, with the registry's integrity: without them
 *    `npm ci` rejects the lock, or installs unverified files on those platforms.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { defineCommand } from "../cli/command.ts";
import { EXIT } from "../cli/failures.ts";

interface PackageEntry {
  engines?: unknown;
  dev?: true;
  optionalDependencies?: { readonly [name: string]: string };
  [field: string]: unknown;
}

const OS_NAMES = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const CPU: { readonly [word: string]: string } = {
  ...Object.fromEntries(
    ["arm", "arm64", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "x64"].map((cpu) => [cpu, cpu]),
  ),
  amd64: "x64",
};

const LOCKFILES = ["package-lock.json", "lab/package-lock.json"];

/** Undefined for a package that the registry does not have. */
function findIntegrity(name: string, version: string): { readonly integrity?: string } {
  try {
    const text = execFileSync("npm", ["view", `${name}@${version}`, "dist.integrity"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return { integrity: text.trim() };
  } catch {
    return {};
  }
}

/** Returns how many entries lost their `engines`, and the names of added entries. */
function fixLockfile(file: string) {
  const path = new URL(`../../${file}`, import.meta.url);
  const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, PackageEntry> };

  let removedCount = 0;
  for (const [name, entry] of Object.entries(lock.packages)) {
    if (name === "" || entry.engines === undefined) continue;
    delete entry.engines;
    removedCount += 1;
  }

  const added: string[] = [];
  for (const entry of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const words = name.split(/[-/]/);
      const os = OS_NAMES.find((word) => words.includes(word));
      const cpu = words.map((word) => CPU[word]).find((found) => found !== undefined);
      const known = lock.packages[`node_modules/${name}`];
      if (known?.integrity !== undefined || cpu === undefined) continue;
      lock.packages[`node_modules/${name}`] = {
        version,
        ...findIntegrity(name, version),
        cpu: [cpu],
        ...(entry.dev === undefined ? {} : { dev: entry.dev }),
        optional: true,
        ...(os === undefined ? {} : { os: [os] }),
      };
      added.push(name);
    }
  }
  const { "": own, ...packages } = lock.packages;
  lock.packages = { "": own!, ...Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))) };
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  return { file, removedCount, added };
}

export const command = defineCommand({
  name: "fix:lockfile",
  summary: "corrects the lockfiles after a change, so that `npm ci` installs everything on every machine",
  examples: ["npm run fix:lockfile"],
  async run(_, terminal) {
    const results = LOCKFILES.map(fixLockfile);
    for (const { file, removedCount, added } of results) {
      const names = added.join(", ") || "none";
      terminal.print(`${file}: removed engines from ${removedCount} entries, added ${names}`);
    }
    terminal.printJson({ ok: true, lockfiles: results });
    return EXIT.ok;
  },
});
