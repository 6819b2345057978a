/** The tables of docs/reliability.md: a run replaces its own rows. The rest of the document is written by hand. */

import { readBlock, replaceBlock } from "../../scripts/dev/docs/document-block.ts";
import { readTable, renderTable, type TableRow } from "../../scripts/dev/docs/table.ts";
import { formatMachine } from "../bench/compare/machine.ts";
import { getSpread } from "../bench/compare/statistics.ts";
import { SIMULATED_FAULTS } from "../injected/faults.ts";
import { toLivesPerMinute } from "../simulate/lives.ts";
import type { InjectedRow, InjectedRun, StoredLives } from "../simulate/result-types.ts";

export const RELIABILITY_DOCUMENT = "docs/reliability.md";
const NOT_MEASURED = "not measured yet";

/** Replaces the table of a block. */
function replaceRows(
  text: string,
  { block, columns, rows }: { block: string; columns: readonly string[]; rows: readonly TableRow[] },
): string {
  const table = renderTable(
    columns,
    rows.map((row) => columns.map((column) => row[column] ?? "")),
  );
  return replaceBlock(text, block, [table]);
}

const readRows = (text: string, block: string): readonly TableRow[] => readTable(readBlock(text, block));

const toDay = (measuredAt: string): string => measuredAt.slice(0, 10);
const toHours = (ms: number): string => (ms / 3_600_000).toFixed(0);
const toSeeds = (seed: number, lives: number): string => `${seed} to ${seed + lives - 1}`;

const toLivesRow = (run: StoredLives): TableRow => ({
  "lives of the kind": run.kind,
  seeds: toSeeds(run.seed, run.lives),
  "simulated hours": toHours(run.simulatedMs),
  "invariants broken": "0",
  "time of the clock": `${Math.round(run.seconds)} s, ${run.processes === 1 ? "1 process" : `${run.processes} processes`}`,
  "CPU for each life": `${(run.cpuMs / run.lives).toFixed(0)} ms`,
  "lives in a minute of CPU": `${Math.floor(toLivesPerMinute(run))}`,
  "digest of all traces": `\`${run.traces}\``,
  measured: `${toDay(run.measuredAt)}: ${formatMachine(run.machine)} at its end`,
});

const FAULT = "fault, and how often it was drawn";

/** The text with a run in place of the one before it of the same kind of lives. */
export function addLives(text: string, run: StoredLives): string {
  const row = toLivesRow(run);
  const kept = readRows(text, "lives").filter((other) => other["lives of the kind"] !== run.kind);
  const rows = [...kept, row].sort((a, b) => Number.parseInt(a.seeds!, 10) - Number.parseInt(b.seeds!, 10));
  const withLives = replaceRows(text, { block: "lives", columns: Object.keys(row), rows });

  const counts = new Map(readRows(text, "faults").map((one) => [one[FAULT]!, one]));
  const faults = [...new Set([...counts.keys(), ...Object.keys(run.faults)])].sort();
  const column = (kind: string | undefined): string => `${kind} lives`;
  return replaceRows(withLives, {
    block: "faults",
    columns: [FAULT, ...rows.map((one) => column(one["lives of the kind"]))],
    rows: faults.map((name) => ({
      ...counts.get(name),
      [FAULT]: name,
      [column(run.kind)]: `${run.faults[name] ?? 0}`,
    })),
  });
}

/** The median of lives until found; where most searches found nothing, how many lives they had. */
function renderFound({ searches }: InjectedRow): TableRow {
  const found = searches.filter(({ isFound }) => isFound).length;
  const { median, min, max } = getSpread(
    searches.map(({ isFound, lives }) => (isFound ? lives : Number.POSITIVE_INFINITY)),
  );
  const leastLives = Math.min(...searches.filter(({ isFound }) => !isFound).map(({ lives }) => lives));
  const format = (value: number): string => (Number.isFinite(value) ? `${value}` : `more than ${leastLives}`);
  return {
    searches: `${found} of ${searches.length}`,
    "lives until found": found === 0 ? format(median) : `${format(median)} (${format(min)} to ${format(max)})`,
  };
}

const INJECTED_COLUMNS = ["injected fault", "safeguard that is missing", "searches", "lives until found", "searched"];

/** The text with every injected fault, and with the searches of a run in place of those before. */
export function renderInjected(text: string, run: InjectedRun | null = null): string {
  const found = new Map(readRows(text, "injected").map((row) => [row["injected fault"]!, row]));
  for (const row of run?.rows ?? [])
    found.set(`\`${row.name}\``, {
      ...renderFound(row),
      searched: `from seed ${row.searches[0]!.seed}, ${toDay(run!.measuredAt)}`,
    });
  const rows = Object.entries(SIMULATED_FAULTS).map(([key, { missing }]) => {
    const name = `\`${key}\``;
    return {
      "lives until found": NOT_MEASURED,
      ...found.get(name),
      "injected fault": name,
      "safeguard that is missing": missing,
    };
  });
  return replaceRows(text, { block: "injected", columns: INJECTED_COLUMNS, rows });
}
