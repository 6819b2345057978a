/** Replays on Node 22 and on the present Node, each in a process of its own, compared bit by bit. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Check } from "./check.ts";

const RUNS = 200;
const OUTPUT_BYTES_MAX = 1 << 28;

const run = promisify(execFile);
const derive = fileURLToPath(new URL("./derive.ts", import.meta.url));
const node22 = fileURLToPath(
  new URL(`./node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
);

interface Line {
  readonly run: string;
  readonly differences?: readonly { readonly field: string }[];
  readonly [field: string]: unknown;
}

async function linesOf(node: string, args: readonly string[]): Promise<Line[]> {
  const { stdout } = await run(node, [derive, ...args], { maxBuffer: OUTPUT_BYTES_MAX });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

/** Names of the fields in which two runs differ, with both values. */
function compare(one: Line, other: Line | undefined): string[] {
  return Object.keys(one).flatMap((field) => {
    const [left, right] = [JSON.stringify(one[field]), JSON.stringify(other?.[field])];
    return left === right ? [] : [`${one.run}: ${field} is ${left} on one and ${right} on the other`];
  });
}

export const nodes: Check = async ({ planted }) => {
  if (!existsSync(node22)) return [`there is no Node 22 for ${process.platform} on ${process.arch} in checks/`];
  const { stdout: version } = await run(node22, ["--version"]);
  const seed = process.env.CHECK_SEED ?? randomBytes(8).toString("hex");
  const args = [seed, String(RUNS), ...(planted ? ["--planted"] : [])];
  const [older, present] = await Promise.all([linesOf(node22, args), linesOf(process.execPath, args)]);
  console.log(
    `  ${present.length} runs on Node ${version.trim().slice(1)} and ${process.versions.node}; CHECK_SEED=${seed} makes them again`,
  );
  const faults = present.flatMap((line, index) => [
    ...compare(line, older[index]),
    ...(line.differences ?? []).map(({ field }) => `${line.run}: ${field} is not what it was on its first day`),
  ]);
  if (older.length !== present.length) faults.push(`${older.length} runs on one, ${present.length} on the other`);
  return faults;
};
