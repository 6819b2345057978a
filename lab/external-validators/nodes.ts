/** Compares replays on Node 22 and on the current Node bit by bit, each in a separate process. */

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { getEnvironment } from "../../backend/config/environment.ts";
import type { Check } from "./check.ts";

const RUNS = 200;
const OUTPUT_BYTES_MAX = 1 << 28;

const run = promisify(execFile);
const derive = fileURLToPath(new URL("./derive.ts", import.meta.url));
/** The Node 22 from the lab's packages. */
export const node22 = fileURLToPath(
  new URL(`../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
);

interface DerivedRun {
  readonly run: string;
  readonly differences?: readonly { readonly field: string }[];
  readonly [field: string]: unknown;
}

async function runDerivation(node: string, args: readonly string[]): Promise<DerivedRun[]> {
  const { stdout } = await run(node, [derive, ...args], { maxBuffer: OUTPUT_BYTES_MAX });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as DerivedRun);
}

/** Names of the fields in which two runs differ, with both values. */
function compare(one: DerivedRun, other: DerivedRun | undefined): string[] {
  return Object.keys(one).flatMap((field) => {
    const left = JSON.stringify(one[field]);
    const right = JSON.stringify(other?.[field]);
    return left === right ? [] : [`${one.run}: ${field} is ${left} on one and ${right} on the other`];
  });
}

export const nodes: Check = async ({ isSelfTest }) => {
  if (!existsSync(node22)) return [`there is no Node 22 for ${process.platform} on ${process.arch} in lab/`];
  const { stdout: version } = await run(node22, ["--version"]);
  const seed = getEnvironment().CHECK_SEED ?? randomBytes(8).toString("hex");
  const args = [seed, String(RUNS), ...(isSelfTest ? ["--self-test"] : [])];
  const [older, present] = await Promise.all([runDerivation(node22, args), runDerivation(process.execPath, args)]);
  console.log(
    `  ${present.length} runs on Node ${version.trim().slice(1)} and ${process.versions.node}; CHECK_SEED=${seed} makes them again`,
  );
  const errors = present.flatMap((line, index) => [
    ...compare(line, older[index]),
    ...(line.differences ?? []).map(({ field }) => `${line.run}: ${field} differs from the recorded replay`),
  ]);
  if (older.length !== present.length) errors.push(`${older.length} runs on one, ${present.length} on the other`);
  return errors;
};
