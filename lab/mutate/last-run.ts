/**
 * The verdicts of the last whole run, so that a new test can be tried against its survivors only and an interrupted run
 * can go on.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import type { Mutant, Source } from "./render.ts";
import type { Verdict } from "./run-mutants.ts";

const FILE = join(root, "cache/mutation.json");

const computeDigest = (sources: readonly Source[]): string =>
  sources.reduce((hash, { file, content }) => hash.update(`${file}\n${content}\n`), createHash("sha256")).digest("hex");

/** Identifies a mutant across runs, independent of its number: the first, second, … such change of a line. */
function toNames(mutants: readonly Mutant[]): string[] {
  const seen = new Map<string, number>();
  return mutants.map(({ file, line, kind, before, after }) => {
    const name = [file, line, kind, before, after].join("\n");
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return `${name}\n${count}`;
  });
}

interface SavedRun {
  readonly digest: string;
  readonly verdicts: readonly (Verdict & { readonly name: string })[];
}

/** Saves the verdicts so far of a run over all `mutants`. */
export function saveRun(sources: readonly Source[], mutants: readonly Mutant[], verdicts: readonly Verdict[]): void {
  const names = new Map(toNames(mutants).map((name, index) => [mutants[index]?.id, name]));
  const named = verdicts.map((verdict) => ({ ...verdict, name: names.get(verdict.id) ?? "" }));
  const run: SavedRun = { digest: computeDigest(sources), verdicts: named };
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(run));
}

/**
 * Verdicts of the last whole run over these mutants, by number. Null where there was none, or where the contracts have
 * changed since.
 */
export function readRun(sources: readonly Source[], mutants: readonly Mutant[]): ReadonlyMap<number, Verdict> | null {
  let saved: SavedRun;
  try {
    saved = JSON.parse(readFileSync(FILE, "utf8"));
  } catch {
    return null;
  }
  if (saved.digest !== computeDigest(sources)) return null;
  const known = new Map(saved.verdicts.map(({ name, ...verdict }) => [name, verdict]));
  const found = new Map<number, Verdict>();
  toNames(mutants).forEach((name, index) => {
    const verdict = known.get(name);
    const mutant = mutants[index];
    if (verdict !== undefined && mutant !== undefined) found.set(mutant.id, { ...verdict, ...mutant });
  });
  return found;
}
