/** The tables of docs/reliability.md from the stored runs of docs/simulation/; the rest of it is written by hand. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { formatMachine } from "../bench/compare/machine.ts";
import { getSpread } from "../bench/compare/statistics.ts";
import { toLivesPerMinute } from "../simulate/lives.ts";
import { PLANTED } from "../simulate/planted.ts";
import {
  type PlantedRow,
  readStoredLives,
  readStoredPlanted,
  type StoredLives,
  type StoredPlanted,
} from "../simulate/stored-runs.ts";
import { replaceBlock } from "./document-block.ts";
import { renderTable } from "./table.ts";

const DOCUMENT = "docs/reliability.md";
const NOT_MEASURED = "not measured yet";
const NO_STORED_RUN = "No run is stored yet.";

const renderOrigin = ({ command, measuredAt, machine }: StoredLives | StoredPlanted): string =>
  `\`${command}\` on ${measuredAt.slice(0, 10)}: ${formatMachine(machine)} at its end.`;

function renderLives(run: StoredLives | null): readonly string[] {
  if (run === null) return [NO_STORED_RUN];
  const { seed, lives, seconds, processes, cpuMs, simulatedMs } = run;
  const rows = [
    ["lives", lives],
    ["seeds", `${seed} to ${seed + lives - 1}`],
    ["simulated hours", Math.round(simulatedMs / 3_600_000)],
    ["invariants broken", 0],
    ["time of the clock", `${Math.round(seconds)} s, ${processes} ${processes === 1 ? "process" : "processes"}`],
    ["CPU for each life", `${(cpuMs / lives).toFixed(0)} ms`],
    ["lives in a minute of CPU", Math.floor(toLivesPerMinute(run))],
  ];
  return [renderOrigin(run), "", renderTable(["", ""], rows)];
}

function renderFaults(run: StoredLives | null): readonly string[] {
  if (run === null) return [NO_STORED_RUN];
  const rows = Object.entries(run.faults).sort(([one], [other]) => (one < other ? -1 : 1));
  return [renderTable(["fault", "drawn in this run"], rows)];
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

function renderPlanted(run: StoredPlanted | null): readonly string[] {
  const rows = Object.entries(PLANTED).map(([name, { safeguard }]) => {
    const row = run?.rows.find((candidate) => candidate.name === name);
    return [`\`${name}\``, safeguard, ...(row === undefined ? ["", NOT_MEASURED] : renderFound(row))];
  });
  const table = renderTable(["planted fault", "safeguard that is missing", "searches", "lives until found"], rows);
  return run === null ? [table] : [renderOrigin(run), "", table];
}

export function renderReliabilityDocument(): string {
  const lives = readStoredLives();
  const blocks = {
    lives: renderLives(lives),
    faults: renderFaults(lives),
    planted: renderPlanted(readStoredPlanted()),
  };
  return Object.entries(blocks).reduce(
    (text, [name, lines]) => replaceBlock(text, name, lines),
    readFileSync(join(root, DOCUMENT), "utf8"),
  );
}
