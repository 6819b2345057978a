/** Draws mutants, and puts all of them into the sources, each behind a switch. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { type Change, listChanges } from "./operators.ts";

export interface Mutant extends Change {
  /** From 1; the number of the switch. */
  readonly id: number;
  readonly file: string;
  readonly before: string;
  /** Identifies it in every run: file, scope, original text, new text, and its number among equal ones. */
  readonly key: string;
}

/**
 * Not mutated: pictures are judged by eye; released migrations never change, and tests copy a migrated database; tests
 * of what only PostgreSQL uses need a server.
 */
const LEFT_OUT = /\.d\.ts$|\/(migrations|images|postgres)\/|\/copy-store\.ts$/;
const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 160 ? line : `${line.slice(0, 157)}…`;
};

export const listSources = (paths: readonly string[]): readonly string[] =>
  paths
    .flatMap((path) => (path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.ts`, { cwd: root })))
    .filter((file) => !LEFT_OUT.test(file))
    .sort();

function listMutants(file: string): readonly Omit<Mutant, "id">[] {
  const content = readFileSync(join(root, file), "utf8");
  const counts = new Map<string, number>();
  return listChanges(file, content).map((change) => {
    const before = content.slice(change.start, change.end);
    const name = `${file} ${change.scope}: ${shorten(before)} => ${shorten(change.after)}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { ...change, file, before, key: count === 1 ? name : `${name} (${count})` };
  });
}

/** The first `count` in an order that depends only on the seed and the names, so that other changes do not shift it. */
const draw = <T>(items: readonly T[], toName: (item: T) => string, count: number, seed: number): readonly T[] =>
  items
    .map((item) => ({
      item,
      rank: createHash("sha256")
        .update(`${seed} ${toName(item)}`)
        .digest("hex"),
    }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ item }) => item);

export const drawSources = (files: readonly string[], count: number, seed: number): readonly string[] =>
  draw(files, (file) => file, count, seed);

export const drawMutants = (files: readonly string[], sample: number, seed: number): readonly Mutant[] =>
  draw(files.flatMap(listMutants), ({ key }) => key, sample, seed).map((mutant, index) => ({
    ...mutant,
    id: index + 1,
  }));

/** Renders the text between two positions; the mutants in it are sorted by start, the longer ones first. */
function render(content: string, start: number, end: number, mutants: readonly Mutant[]): string {
  let text = "";
  let at = start;
  for (let i = 0; i < mutants.length; ) {
    const first = mutants[i]!;
    const alike = mutants.filter((m) => m.start === first.start && m.end === first.end);
    const inside = mutants.filter((m) => !alike.includes(m) && m.start >= first.start && m.end <= first.end);
    const original = render(content, first.start, first.end, inside);
    const on = ({ id }: Mutant): string => `globalThis.$mutant(${id})`;
    text += content.slice(at, first.start);
    text += first.isStatement
      ? `{if(${alike.map((m) => `!${on(m)}`).join("&&")}){${original}}}`
      : `(${alike.map((m) => `${on(m)}?(${m.after}):`).join("")}(${original}))`;
    at = first.end;
    i += alike.length + inside.length;
  }
  return text + content.slice(at, end);
}

/** The source with each of its mutants behind `globalThis.$mutant(ID)`. */
function instrument(content: string, mutants: readonly Mutant[]): string {
  // The statement of an expression contains it, since it ends behind the semicolon.
  const sorted = [...mutants].sort((a, b) => a.start - b.start || b.end - a.end);
  return render(content, 0, content.length, sorted);
}

/** The service builds each statement once per process, but a mutant may change how it is built. */
const STATEMENTS = "backend/adapters/store/statement.ts";
const CACHES: readonly (readonly [cached: string, built: string])[] = [
  ["byEngine.get(engine) ?? build(", "build("],
  ["compiled ??= compileOnce", "compiled = compileOnce"],
  ["known.get(key) ?? make(", "make("],
];
/** The texts of all changed sources by path: every mutant is behind its switch, and no statement is cached. */
export function instrumentSources(mutants: readonly Mutant[]): ReadonlyMap<string, string> {
  const files = new Set([STATEMENTS, ...mutants.map((mutant) => mutant.file)]);
  return new Map(
    [...files].map((file) => {
      const ofFile = mutants.filter((mutant) => mutant.file === file);
      const text = instrument(readFileSync(join(root, file), "utf8"), ofFile);
      return [
        file,
        file === STATEMENTS ? CACHES.reduce((all, [cached, built]) => all.replace(cached, built), text) : text,
      ];
    }),
  );
}
