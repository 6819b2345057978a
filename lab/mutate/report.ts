/** The table of a mutation run: what was killed in each source, and why each survivor may live. */
import { EXPLANATIONS } from "./explained.ts";
import type { Verdict } from "./run-mutants.ts";

const escapeCell = (text: string): string => text.replace(/\s+/g, " ").replaceAll("|", "\\|");

/** How a survivor is named in `explained.ts`: where, what, and what it became. */
export const toMutantKey = ({ file, scope: place, before, after }: Verdict): string =>
  `${file.replace(/^contracts\//, "")} ${place}: ${before} => ${after}`;

export interface Summary {
  readonly killed: number;
  readonly total: number;
  readonly unexplained: readonly Verdict[];
}

export function summarize(verdicts: readonly Verdict[]): Summary {
  const survivors = verdicts.filter(({ killed }) => !killed);
  return {
    killed: verdicts.length - survivors.length,
    total: verdicts.length,
    unexplained: survivors.filter((verdict) => EXPLANATIONS[toMutantKey(verdict)] === undefined),
  };
}

export const formatPercent = ({ killed, total }: { killed: number; total: number }): string =>
  total === 0 ? "-" : `${((100 * killed) / total).toFixed(1)} %`;

/** The document: one row for each source, then one for each survivor. */
export function renderReport(verdicts: readonly Verdict[], invalidCount: number): string {
  const files = [...new Set(verdicts.map(({ file }) => file))];
  const rows = files.map((file) => {
    const fileVerdicts = verdicts.filter((verdict) => verdict.file === file);
    const killed = fileVerdicts.filter((verdict) => verdict.killed).length;
    return `| \`${file}\` | ${fileVerdicts.length} | ${killed} | ${formatPercent({ killed, total: fileVerdicts.length })} |`;
  });
  const sum = summarize(verdicts);
  const survivors = verdicts
    .filter(({ killed }) => !killed)
    .map((verdict) => {
      const { file, line, scope: place, before, after } = verdict;
      const change =
        after === "" ? `\`${escapeCell(before)}\` deleted` : `\`${escapeCell(before)}\` → \`${escapeCell(after)}\``;
      const reason = EXPLANATIONS[toMutantKey(verdict)] ?? "**not explained**";
      return `| \`${file.replace(/^contracts\//, "")}:${line}\` ${place} | ${change} | ${reason} |`;
    });
  return `# Mutation run

\`npm run lab -- mutate\` changes the contracts in ${sum.total} places, one at a time, and runs their tests in TypeScript and in
Solidity (fuzz and invariants) against each change. It changes operators, conditions, literals and returned values,
swaps arguments, removes or exchanges modifiers, and deletes statements, also in assembly. All changes are compiled once into one
text, each behind a switch; the block gas limit of the test network selects the change that is on. So a run takes about
half an hour instead of a day. ${invalidCount === 0 ? "" : `${invalidCount} more do not compile and are left out. `}Gas and code size are not among the tests here, since the switches change them.

**${sum.killed} of ${sum.total} killed: ${formatPercent(sum)}.**

| source | changes | killed | |
|---|---|---|---|
${rows.join("\n")}

## Survivors

| where | change | why no test can tell, or need not |
|---|---|---|
${survivors.join("\n")}
`;
}
