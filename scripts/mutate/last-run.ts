/** The verdicts of the last whole run, so that a new test can be tried against its survivors alone. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../start/build.ts";
import type { Verdict } from "./hunt.ts";
import type { Source } from "./render.ts";

const FILE = join(root, "cache/mutation.json");

const digestOf = (sources: readonly Source[]): string =>
  sources.reduce((hash, { file, content }) => hash.update(`${file}\n${content}\n`), createHash("sha256")).digest("hex");

export function keepRun(sources: readonly Source[], verdicts: readonly Verdict[]): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify({ digest: digestOf(sources), verdicts }));
}

/** Null where there was none, or where the contracts have changed since. */
export function readRun(sources: readonly Source[]): readonly Verdict[] | null {
  let kept: { digest: string; verdicts: readonly Verdict[] };
  try {
    kept = JSON.parse(readFileSync(FILE, "utf8"));
  } catch {
    return null;
  }
  return kept.digest === digestOf(sources) ? kept.verdicts : null;
}
