/**
 * `npm run check:outside [-- asyncapi|nodes] [-- --planted]`: checks that need tools which the project itself does not.
 * They are installed in checks/ on first use. `--planted` plants faults and succeeds where they are found.
 */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { asyncapi } from "../checks/asyncapi.ts";
import type { Check } from "../checks/check.ts";
import { nodes } from "../checks/nodes.ts";
import { root } from "./start/build.ts";

const CHECKS: { readonly [name: string]: Check } = { asyncapi, nodes };
const FAULTS_SHOWN = 20;

const options = process.argv.slice(2);
const planted = options.includes("--planted");
const wanted = options.filter((option) => !option.startsWith("--"));
const unknown = wanted.filter((name) => CHECKS[name] === undefined);

/** Installs what the lock of checks/ names, unless it is there already. */
function install(): void {
  const folder = join(root, "checks");
  const done = join(folder, "node_modules/.package-lock.json");
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs) return;
  console.log("installing what the checks need, once …");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("npm ci failed in checks/");
}

if (unknown.length > 0) {
  console.error(`There is no check ${unknown.join(", ")}. Known: ${Object.keys(CHECKS).join(", ")}.`);
  process.exit(2);
}
install();
const names = wanted.length > 0 ? wanted : Object.keys(CHECKS);
let failed = 0;
for (const name of names) {
  const faults = await CHECKS[name]!({ planted });
  const isGood = planted === faults.length > 0;
  if (!isGood) failed += 1;
  const verdict = planted ? (isGood ? "found the planted faults" : "MISSED a planted fault") : isGood ? "ok" : "FAIL";
  console.log(`${name}: ${verdict}`);
  for (const fault of planted ? [] : faults.slice(0, FAULTS_SHOWN)) console.error(`  ${fault}`);
  if (!planted && faults.length > FAULTS_SHOWN) console.error(`  and ${faults.length - FAULTS_SHOWN} more`);
}
console.log(`${names.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
