/** The results of all runs with `--write`, in `dist/`, and the page that is written from them. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { EQUIVALENT } from "./equivalent.ts";
import type { Verdict } from "./run-mutants.ts";

type Results = { [key: string]: Verdict };

const STORED = join(root, "dist/mutation-typescript.json");

const readResults = (): Results => (existsSync(STORED) ? (JSON.parse(readFileSync(STORED, "utf8")) as Results) : {});

/** Stored one by one, so that an interrupted run keeps its results. */
export function storeResult(verdict: Verdict): void {
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(STORED, `${JSON.stringify({ ...readResults(), [verdict.key]: verdict }, null, 1)}\n`);
}

export const isSurvivor = ({ key }: Pick<Verdict, "key">): boolean =>
  readResults()[key]?.isKilled === false && !(key in EQUIVALENT);

/** The sources that the last commits changed; all of them if there are none, or no history. */
export function listChangedSources(sources: readonly string[], commits: number): readonly string[] {
  const args = ["log", "-n", String(commits), "--name-only", "--pretty=format:"];
  const changed = new Set(spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout?.split("\n"));
  const found = sources.filter((file) => changed.has(file));
  return found.length === 0 ? sources : found;
}

const toFolder = (file: string): string => /^(backend\/adapters\/\w+|backend\/\w+|\w+)/.exec(file)![0];

/** `share` is the percentage of those that are not equivalent. */
export function sum(verdicts: readonly Verdict[]) {
  const killed = verdicts.filter(({ isKilled }) => isKilled).length;
  const equivalent = verdicts.filter(({ isKilled, key }) => !isKilled && key in EQUIVALENT).length;
  const total = verdicts.length;
  return { killed, equivalent, total, share: Math.round((1_000 * killed) / Math.max(1, total - equivalent)) / 10 };
}

/** One table row with six columns for each group of files. */
export function renderGroups(verdicts: readonly Verdict[], toGroup = toFolder): readonly string[] {
  const groups = [...new Set(verdicts.map(({ file }) => toGroup(file)))].sort();
  return groups.map((group) => {
    const { killed, equivalent, total, share } = sum(verdicts.filter(({ file }) => toGroup(file) === group));
    return `| \`${group}\` | ${total} | ${killed} | ${total - killed - equivalent} | ${equivalent} | ${share} % |`;
  });
}

function toCell(text: string): string {
  const line = text.replace(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("`", "'");
  return `\`${line.length <= 100 ? line : `${line.slice(0, 97)}…`}\``;
}

const renderSurvivor = ({ file, line, scope, before, after, key, by }: Verdict): string =>
  `| \`${file}:${line}\` ${scope} | ${toCell(before)} ${after === "" ? "removed" : `→ ${toCell(after)}`} | ${EQUIVALENT[key] ?? by} |`;

export const renderSurvivors = (verdicts: readonly Verdict[]): readonly string[] =>
  verdicts
    .filter(({ isKilled }) => !isKilled)
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(renderSurvivor);

export function writePage(): void {
  const verdicts = Object.values(readResults());
  const { killed, equivalent, total, share } = sum(verdicts);
  writeFileSync(
    join(root, "docs/mutation-typescript.md"),
    `# Mutation run of the TypeScript

This page shows how many small faults in the service's TypeScript its tests notice. \`npm run lab -- mutate-ts\` draws
places by a seed and changes one at a time: comparisons, conditions, arithmetic, literals, returned values, steps of a
query, \`await\`, removed statements and the contents of \`finally\`. All changes are loaded together, each behind a
switch, into one process that stays warm. Each change is tried on the tests that reach it. A few of the files of tests
nearest to its source (\`--files\`) come first, then for up to two minutes all others, the quickest first. Left out: log
lines, metrics, constants of modules, released migrations, sources for PostgreSQL alone, tests that need servers, and
long tests except those in \`--tests\`. A run that takes too long counts as killed. The share is of the changes that are
not equivalent.

\`\`\`sh
npm run lab -- mutate-ts --paths backend/services --sample 300 --seed 1 --write
\`\`\`

\`--again\` repeats the survivors after tests were added. The table adds up all runs with \`--write\`, which can draw from
other paths and end early. Of the 60 changes that \`--seed 31\` draws from \`backend/http\`, \`backend/services\`,
\`backend/ws\` and \`backend/live\`, at least 44 were killed before tests were written for its survivors. The survivors of
\`scripts\` were not repeated since tests were added for them. Of 49 changes that \`--seed 41\` drew
from \`backend/adapters/chain\` and \`backend/adapters/store\`, 33 were killed and 6 are equivalent. One of the other 10
is noticed by a test with PostgreSQL, and tests were written for 6. These 7 were tried by hand and count as killed. The
code of the last 3 was simplified and no longer has them.

**${killed} of ${total} killed, ${equivalent} equivalent: ${share} %.**

| folder | changes | killed | survived | equivalent | share |
|---|---|---|---|---|---|
${renderGroups(verdicts).join("\n")}

## Survivors

| where | change | tests, or why no test can notice it |
|---|---|---|
${renderSurvivors(verdicts).join("\n")}
`,
  );
}
