/** The page with the results of mutants in simulated runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/start/build.ts";
import { renderGroups, renderSurvivors, sum } from "../../mutate-ts/results.ts";
import { REACHING_MAX, type SimulatedVerdict, TARGETS } from "./run-mutants.ts";

const toTarget = (file: string): string =>
  Object.entries(TARGETS).find(([, paths]) => paths.some((path) => file.startsWith(path)))?.[0] ?? "others";

/** `command`: the command that measures it again. */
export function writePage(command: string, verdicts: readonly SimulatedVerdict[]): void {
  const { killed, equivalent, total, share } = sum(verdicts);
  const unreached = verdicts.filter(({ reaching }) => reaching === 0).length;
  writeFileSync(
    join(root, "docs/mutation-simulation.md"),
    `# Mutation run of the simulation

This page shows which small faults in the service [simulated runs](reliability.md) notice. The command below draws
changes of the transaction manager, indexer, payouts, leases and idempotency by a seed, as
[the mutation run of the tests](mutation-typescript.md) does. It simulates the stored regressions and runs of all kinds
without a change first, and then, with each change, those that reach it, ${REACHING_MAX} at most. A change is killed by a run that
breaks an invariant or does not end.

\`\`\`sh
${command}
\`\`\`

**${killed} of ${total} killed, ${equivalent} equivalent: ${share} % of the others.** No run reaches ${unreached}.

| part | changes | killed | survived | equivalent | share |
|---|---|---|---|---|---|
${renderGroups(verdicts, toTarget).join("\n")}

## Survivors

| where | change | runs, or why it is equivalent |
|---|---|---|
${renderSurvivors(verdicts).join("\n")}
`,
  );
}
