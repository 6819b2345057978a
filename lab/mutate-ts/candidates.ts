/** Finds the test files near a source: those that import it through the fewest files, in the folder that mirrors it. */
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../../scripts/start/build.ts";

/** Type imports are ignored, since they are gone at run time. */
const IMPORT = /(?:^|\n)(?:import|export) (?!type)[^;"]*?"(\.[^"]+\.tsx?)"|import\("(\.[^"]+\.tsx?)"\)/g;
const FOLDERS = "{backend,client,deploy,domain,games,lab,local-chain,mcp,scripts,test,testing}/**/*.ts";
const LEFT_OUT = /^test\/(contracts|web|lab|architecture)\/|node_modules/;

function readImporters(): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of globSync(FOLDERS, { cwd: root }).filter((path) => !path.includes("node_modules"))) {
    for (const [, first, second] of readFileSync(join(root, file), "utf8").matchAll(IMPORT)) {
      const target = posix.join(posix.dirname(file), (first ?? second)!);
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}

const toWords = (path: string): readonly string[] =>
  path
    .replace(/^(test|backend)\//, "")
    .replace(/(\.test)?\.ts$/, "")
    .split(/[/-]/);

/** How many words the paths of a source and of its tests share. */
function countShared(source: string, test: string): number {
  const words = new Set(toWords(source));
  return toWords(test).filter((word) => words.has(word)).length;
}

/** These tests start programs as processes, so their imports do not show what they cover. */
const STARTING = /^test\/(deploy|examples|flows|habitats|scripts)\//;
/** Tests that import these directly or through one file start a chain, which takes seconds. Others are tried first. */
const SERVICE = "testing/stack.ts";
const CHAIN = "local-chain/local-chain.ts";
const CHAIN_RANK = 2;

/**
 * Returns a function that lists the files of tests that may reach a source, the nearest first. `added`: files beside
 * those of `npm test`.
 */
export function createCandidates(added: readonly string[]): (source: string) => readonly string[] {
  const importers = readImporters();
  const list = (file: string): readonly string[] => importers.get(file) ?? [];
  const listStarters = (file: string) => [...list(file), ...list(file).flatMap(list)];
  const startChain = new Set([...listStarters(SERVICE), ...listStarters(CHAIN)]);
  const quick = globSync("test/**/*.test.ts", { cwd: root }).filter((path) => !LEFT_OUT.test(path));
  const tests = [...new Set([...quick, ...added])];
  return (source) => {
    const distances = new Map([[source, 0]]);
    for (const file of distances.keys())
      for (const importer of list(file))
        if (!distances.has(importer)) distances.set(importer, distances.get(file)! + 1);
    const toRank = (test: string): number =>
      2 * countShared(source, test) - (distances.get(test) ?? 4) - (startChain.has(test) ? CHAIN_RANK : 0);
    return tests
      .filter((test) => distances.has(test) || STARTING.test(test))
      .map((test) => ({ test, rank: toRank(test) }))
      .sort((a, b) => b.rank - a.rank || (a.test < b.test ? -1 : 1))
      .map(({ test }) => test);
  };
}
