/** The table of a mutation run: what was killed in each source, and why each survivor may live. */
import { EXPLAINED } from "./explained.ts";
import type { Verdict } from "./hunt.ts";

const oneLine = (words: string): string => words.replace(/\s+/g, " ").replaceAll("|", "\\|");

/** How a survivor is named in `explained.ts`: where, what, and what it became. */
export const keyOf = ({ file, place, before, after }: Verdict): string =>
  `${file.replace(/^contracts\//, "")} ${place}: ${before} => ${after}`;

export interface Sum {
  readonly killed: number;
  readonly total: number;
  readonly unexplained: readonly Verdict[];
}

export function sumOf(verdicts: readonly Verdict[]): Sum {
  const survivors = verdicts.filter(({ killed }) => !killed);
  return {
    killed: verdicts.length - survivors.length,
    total: verdicts.length,
    unexplained: survivors.filter((verdict) => EXPLAINED[keyOf(verdict)] === undefined),
  };
}

export const percent = ({ killed, total }: { killed: number; total: number }): string =>
  total === 0 ? "-" : `${((100 * killed) / total).toFixed(1)} %`;

/** The document: one row for each source, then one for each survivor. */
export function writeReport(verdicts: readonly Verdict[], refused: number): string {
  const files = [...new Set(verdicts.map(({ file }) => file))];
  const rows = files.map((file) => {
    const of = verdicts.filter((verdict) => verdict.file === file);
    const killed = of.filter((verdict) => verdict.killed).length;
    return `| \`${file}\` | ${of.length} | ${killed} | ${percent({ killed, total: of.length })} |`;
  });
  const sum = sumOf(verdicts);
  const survivors = verdicts
    .filter(({ killed }) => !killed)
    .map((verdict) => {
      const { file, line, place, before, after } = verdict;
      const change = after === "" ? `\`${oneLine(before)}\` deleted` : `\`${oneLine(before)}\` → \`${oneLine(after)}\``;
      const why = EXPLAINED[keyOf(verdict)] ?? "**not explained**";
      return `| \`${file.replace(/^contracts\//, "")}:${line}\` ${place} | ${change} | ${why} |`;
    });
  return `# Mutation run

\`npm run mutate\` changes the contracts in ${sum.total} places, one at a time, and runs their tests in TypeScript and in
Solidity (fuzz and invariants) against each change: operators, conditions, literals, swapped arguments, returned values,
modifiers removed or exchanged, statements deleted, and the same in assembly. All changes are compiled once into one
text, each behind a switch that the test network's block gas limit turns, so a run takes about half an hour instead of
a day. ${refused === 0 ? "" : `Left out: ${refused} that would be no Solidity. `}Gas and code size are not among the tests here, since the switches change them.

**${sum.killed} of ${sum.total} killed: ${percent(sum)}.**

| source | changes | killed | |
|---|---|---|---|
${rows.join("\n")}

## Survivors

| where | change | why no test can tell, or need not |
|---|---|---|
${survivors.join("\n")}
`;
}
