/**
 * Mends package-lock.json and that of bench/ after each change of them: `npm run lock:cure`. A test fails when the faults come back.
 *
 * 1. Removes `engines` of every dependency: npm under Node 20 silently leaves out optional packages whose `engines` it
 *    does not meet (Hardhat's native EDR among them), although every command here runs on the Node 24 of the lock.
 * 2. Adds entries for platform packages that the registry npm asked did not have: without them `npm ci` refuses the
 *    lock, although no machine of ours would install them.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface Entry {
  engines?: unknown;
  dev?: true;
  optionalDependencies?: { readonly [name: string]: string };
  [field: string]: unknown;
}

const OS = /(?:^|[-/])(linux|darwin|win32)(?=-|$)/;
const CPU: { readonly [word: string]: string } = { amd64: "x64", x64: "x64", arm64: "arm64", arm: "arm" };

function cure(file: string): void {
  const path = new URL(`../${file}`, import.meta.url);
  const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, Entry> };

  let freed = 0;
  for (const [name, entry] of Object.entries(lock.packages)) {
    if (name === "" || entry.engines === undefined) continue;
    delete entry.engines;
    freed += 1;
  }

  const added: string[] = [];
  for (const entry of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const os = OS.exec(name)?.[1];
      const cpu = CPU[name.split("-").at(-1) ?? ""];
      if (lock.packages[`node_modules/${name}`] !== undefined || os === undefined || cpu === undefined) continue;
      lock.packages[`node_modules/${name}`] = {
        version,
        cpu: [cpu],
        ...(entry.dev === undefined ? {} : { dev: entry.dev }),
        optional: true,
        os: [os],
      };
      added.push(name);
    }
  }
  const { "": own, ...packages } = lock.packages;
  lock.packages = { "": own!, ...Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))) };
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(
    `${file}: removed engines from ${freed} entries, added ${added.length === 0 ? "none" : added.join(", ")}`,
  );
}

cure("package-lock.json");
cure("bench/package-lock.json");
