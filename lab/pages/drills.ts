/** Renders docs/drills.md from the list of drills and its current text. A result replaces the drill's previous one. */

import { readTable, renderTable, type TableRow } from "../../scripts/dev/docs/table.ts";
import { formatMachine, type Machine } from "../bench/compare/machine.ts";
import type { Drill } from "../drill/drill.ts";
import { DRILLS } from "../drill/list.ts";
import type { DrillResult } from "../drill/run.ts";

export const DRILLS_DOCUMENT = "docs/drills.md";
const RUN_COLUMNS = ["seed", "load", "run", "verdict"];
const COLUMNS = ["drill", "what", "faults", ...RUN_COLUMNS, "injected fault", "self-test"];

const INTRODUCTION = `# Drills

\`npm run lab -- pages\` writes the list of drills. \`npm run lab -- drill ID --write\` runs a drill and adds its result;
with \`--self-test\`, whether the drill found the injected fault. Results are also in \`dist/drills/\`.

A drill injects failures and load into real processes, sockets, databases and chains of the service, and fails if
something that must hold does not. B1 and B3 need a fault at an exact point, so they run the chain adapter in the test's
process. A drill prints its seed; \`DRILL_SEED\` repeats it. "Load" is the share of the full load in that run.

Some drills are test files that CI runs with another command. Their self-test changes one line of the service as it is
loaded, and runs the test that must then fail. CI runs the other drills with the same seed each time and a share of their
load, except those that take too long. Other load on the machine affects some figures, such as times, late ticks and
memory: a drill that misses only these runs again with the next seed, and fails after three misses in a row.

Simulated runs are in [reliability.md](reliability.md).`;

export interface StoredResult extends DrillResult {
  readonly measuredAt: string;
  readonly machine: Machine;
  readonly isSelfTest: boolean;
}

const escapeCell = (text: string): string => text.replaceAll("|", "\\|");

const toRun = ({ seed, share, passed, seconds, verdict, measuredAt }: StoredResult): TableRow => ({
  seed: `${seed}`,
  load: `${share}`,
  run: `${passed === 1 ? "1 test" : `${passed} tests`} in ${seconds} s`,
  verdict: `${verdict}, ${measuredAt.slice(0, 10)}`,
});

const toSelfTest = ({ seed, share }: StoredResult): string => `found (seed ${seed}, load ${share})`;

function renderRow({ id, what, faults, injected }: Drill, before: TableRow, result: StoredResult | null): string[] {
  const isRun = result !== null && !result.isSelfTest;
  const run = isRun ? toRun(result) : { verdict: "not run yet", ...before };
  const selfTest = result?.isSelfTest ? toSelfTest(result) : (before["self-test"] ?? "not tried yet");
  return [
    ...[id, what, faults].map(escapeCell),
    ...RUN_COLUMNS.map((column) => run[column] ?? ""),
    ...[escapeCell(injected), selfTest],
  ];
}

/** The part of the document below a drill's files. */
const readFigures = (text: string, { id }: Drill): string =>
  new RegExp(`\n## ${id}\n\n[^\n]*\n([\\s\\S]*?)(?=\n## |$(?![\\s\\S]))`).exec(text)?.[1] ?? "";

function renderSection(drill: Drill, text: string, result: StoredResult | null): string {
  const files = drill.files.map((file) => `\`${file}\``).join(", ");
  const heading = `\n## ${drill.id}\n\n${files}.\n`;
  if (result === null || result.isSelfTest) return `${heading}${readFigures(text, drill)}`;
  const figures = result.figures.length === 0 ? "" : `\n${result.figures.map((line) => `- ${line}\n`).join("")}`;
  return `${heading}\nRun on ${formatMachine(result.machine)}.\n${figures}`;
}

export function renderDrillsDocument(text: string, added: StoredResult | null = null): string {
  const rows = new Map(readTable(text).map((row) => [row.drill!, row]));
  const toAdded = ({ id }: Drill): StoredResult | null => (added?.id === id ? added : null);
  const table = renderTable(
    COLUMNS,
    DRILLS.map((drill) => renderRow(drill, rows.get(drill.id) ?? {}, toAdded(drill))),
  );
  const sections = DRILLS.map((drill) => renderSection(drill, text, toAdded(drill)));
  return `${INTRODUCTION}\n\n${table}\n${sections.join("")}`;
}
