/** The tables of docs/reliability.md from the stored runs of docs/simulation/; the rest of it is written by hand. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceBlock } from "../../scripts/dev/docs/document-block.ts";
import { renderTable } from "../../scripts/dev/docs/table.ts";
import { root } from "../../scripts/start/build.ts";
import { formatMachine } from "../bench/compare/machine.ts";
import { getSpread } from "../bench/compare/statistics.ts";
import { countLives } from "../simulate/campaign.ts";
import { toLivesPerMinute } from "../simulate/lives.ts";
import { PLANTED } from "../simulate/planted.ts";
import {
  type PlantedRow,
  type PlantedRun,
  readCampaigns,
  readPlantedRuns,
  readStoredLives,
  type StoredCampaign,
  type StoredLives,
} from "../simulate/stored-runs.ts";

const DOCUMENT = "docs/reliability.md";
const NOT_MEASURED = "not measured yet";
const NO_STORED_RUN = "No run is stored yet.";

const renderOrigin = ({ command, measuredAt, machine }: StoredLives | PlantedRun): string =>
  `\`${command}\` on ${measuredAt.slice(0, 10)}: ${formatMachine(machine)} at its end.`;

/** What a run says of itself, by its name in the table. */
const FIGURES: { readonly [name: string]: (run: StoredLives) => string | number } = {
  lives: ({ lives }) => lives,
  seeds: ({ seed, lives }) => `${seed} to ${seed + lives - 1}`,
  "simulated hours": ({ simulatedMs }) => Math.round(simulatedMs / 3_600_000),
  "invariants broken": () => 0,
  "time of the clock": ({ seconds, processes }) =>
    `${Math.round(seconds)} s, ${processes} ${processes === 1 ? "process" : "processes"}`,
  "CPU for each life": ({ cpuMs, lives }) => `${(cpuMs / lives).toFixed(0)} ms`,
  "lives in a minute of CPU": (run) => Math.floor(toLivesPerMinute(run)),
  "digest of all traces": ({ traces }) => `\`${traces}\``,
};

const toHeads = (runs: readonly StoredLives[]): readonly string[] => runs.map(({ kind }) => `${kind} lives`);

function renderLives(runs: readonly StoredLives[]): readonly string[] {
  if (runs.length === 0) return [NO_STORED_RUN];
  const rows = Object.entries(FIGURES).map(([name, tell]) => [name, ...runs.map(tell)]);
  return [...runs.map((run) => `- ${renderOrigin(run)}`), "", renderTable(["", ...toHeads(runs)], rows)];
}

const toCpuHours = (cpuMs: number): string => (cpuMs / 3_600_000).toFixed(1);

function renderCampaigns(campaigns: readonly StoredCampaign[]): readonly string[] {
  const parts = campaigns.flatMap(({ kind, parts: ofKind }) => ofKind.map((part) => ({ kind, ...part })));
  if (parts.length === 0) return [NO_STORED_RUN];
  const rows = parts.map(({ kind, commit, seed, lives, simulatedMs, cpuMs, traces }) => [
    ...[kind, `\`${commit}\``, `${seed} to ${seed + lives - 1}`, lives, Math.round(simulatedMs / 3_600_000)],
    ...[toCpuHours(cpuMs), 0, `\`${traces}\``],
  ]);
  const columns = [
    "lives of the kind",
    "commit",
    "seeds",
    "lives",
    "simulated hours",
    "CPU hours",
    "invariants broken",
    "digest of all traces",
  ];
  const lives = countLives(parts);
  const faults = parts.flatMap((part) => Object.values(part.faults)).reduce((sum, count) => sum + count, 0);
  return [`So far ${lives} lives with ${faults} faults.`, "", renderTable(columns, rows)];
}

function renderFaults(runs: readonly StoredLives[]): readonly string[] {
  if (runs.length === 0) return [NO_STORED_RUN];
  const kinds = [...new Set(runs.flatMap(({ faults }) => Object.keys(faults)))].sort();
  const rows = kinds.map((kind) => [kind, ...runs.map(({ faults }) => faults[kind] ?? 0)]);
  return [renderTable(["fault, and how often it was drawn", ...toHeads(runs)], rows)];
}

/** The median of lives until found; where most searches found nothing, how many lives they had. */
function renderFound({ searches }: PlantedRow): readonly [string, string] {
  const found = searches.filter(({ isFound }) => isFound).length;
  const count = `${found} of ${searches.length}`;
  const { median, min, max } = getSpread(
    searches.map(({ isFound, lives }) => (isFound ? lives : Number.POSITIVE_INFINITY)),
  );
  const leastLives = Math.min(...searches.filter(({ isFound }) => !isFound).map(({ lives }) => lives));
  const format = (value: number): string => (Number.isFinite(value) ? `${value}` : `more than ${leastLives}`);
  return [count, found === 0 ? format(median) : `${format(median)} (${format(min)} to ${format(max)})`];
}

/** Where the searches for a planted fault are, and what they have found. */
function renderSearches(name: string, runs: readonly PlantedRun[]): readonly [string, string, string] {
  for (const [index, { rows }] of runs.entries()) {
    const row = rows.find((candidate) => candidate.name === name);
    if (row !== undefined) return [`${index + 1}`, ...renderFound(row)];
  }
  return ["", "", NOT_MEASURED];
}

function renderPlanted(runs: readonly PlantedRun[]): readonly string[] {
  const origins = runs.map((run, index) => `${index + 1}. ${renderOrigin(run)}`);
  const rows = Object.entries(PLANTED).map(([name, { safeguard }]) => [
    ...[`\`${name}\``, safeguard],
    ...renderSearches(name, runs),
  ]);
  const table = renderTable(
    ["planted fault", "safeguard that is missing", "run", "searches", "lives until found"],
    rows,
  );
  return origins.length === 0 ? [table] : [...origins, "", table];
}

export function renderReliabilityDocument(): string {
  const lives = readStoredLives();
  const blocks = {
    lives: renderLives(lives),
    faults: renderFaults(lives),
    campaign: renderCampaigns(readCampaigns()),
    planted: renderPlanted(readPlantedRuns()),
  };
  return Object.entries(blocks).reduce(
    (text, [name, lines]) => replaceBlock(text, name, lines),
    readFileSync(join(root, DOCUMENT), "utf8"),
  );
}
