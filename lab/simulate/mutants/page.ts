/** The page with the results of mutants in simulated runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/start/build.ts";
import { renderGroups, renderSurvivors, sum } from "../../mutate-ts/results.ts";
import { REACHING_MAX, type SimulatedVerdict, TARGETS, UNCHANGED_MAX } from "./run-mutants.ts";

const toTarget = (file: string): string =>
  Object.entries(TARGETS).find(([, paths]) => paths.some((path) => file.startsWith(path)))?.[0] ?? "others";

/** `command`: the command that measures it again. */
export function writePage(command: string, verdicts: readonly SimulatedVerdict[]): void {
  const { killed, equivalent, total } = sum(verdicts);
  const effective = verdicts.filter(({ isKilled, changed }) => isKilled || changed > 0);
  const unreached = verdicts.filter(({ reaching }) => reaching === 0).length;
  const share = Math.round((100 * killed) / Math.max(1, effective.length));
  writeFileSync(
    join(root, "docs/mutation-simulation.md"),
    `# Mutation run of the simulation

This page shows which small faults in the service [simulated runs](reliability.md) notice. The command below draws
changes of the transaction manager, indexer, payouts, leases and idempotency by a seed, as
[the mutation run of the tests](mutation-typescript.md) does. It simulates runs of all kinds without a change first, and
then, with each change, those that reach it: ${REACHING_MAX} at most, and ${UNCHANGED_MAX} if none of their traces changes. A change is killed by a
run that breaks an invariant or does not end.

\`\`\`sh
${command}
\`\`\`

**${killed} of ${total} killed, ${equivalent} known to be equivalent. No run reaches ${unreached}. ${effective.length} are killed or change a trace: ${share} % of
these are killed.** The others leave every trace as it was: they are equivalent, or concern speed, or no run has the
conditions in which they matter. They were not reviewed one by one, so the share in the table counts them as survivors.

| part | changes | killed | survived | equivalent | share |
|---|---|---|---|---|---|
${renderGroups(verdicts, toTarget).join("\n")}

## Survivors that change a trace

| where | change | runs |
|---|---|---|
${renderSurvivors(effective).join("\n")}
`,
  );
}
