/** The stored runs of simulated lives, of which `npm run docs` makes the tables of docs/reliability.md. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { type Machine, readMachine } from "../bench/compare/machine.ts";
import { type LifeKind, toKind } from "./life/kinds.ts";
import { joinDigests, type LivesResult } from "./lives.ts";

const LIVES_PATH = "docs/simulation/lives.json";
const PLANTED_PATH = "docs/simulation/planted.json";
const CAMPAIGN_PATH = "docs/simulation/campaign.json";

interface Measured {
  /** The command line that makes the run again. */
  readonly command: string;
  readonly measuredAt: string;
  readonly machine: Machine;
}

interface LivesRun extends Pick<LivesResult, "lives" | "cpuMs" | "simulatedMs" | "faults"> {
  readonly seed: number;
  readonly seconds: number;
  readonly processes: number;
}

export interface StoredLives extends Measured, LivesRun {
  readonly kind: LifeKind["name"];
  /** The digest of all traces. */
  readonly traces: string;
}

interface StoredLivesRuns {
  /** The last one of each kind of lives. */
  readonly runs: readonly StoredLives[];
}

/** Searches for a planted fault: the seed of the first life, and how many lives there were up to the one that found it. */
export interface PlantedRow {
  readonly name: string;
  readonly searches: readonly { readonly seed: number; readonly lives: number; readonly isFound: boolean }[];
}

export type PlantedRun = Measured & { readonly rows: readonly PlantedRow[] };

interface StoredPlanted {
  /** Each planted fault is in the last run that has searched for it. */
  readonly runs: readonly PlantedRun[];
}

/** Consecutive lives of a campaign, run by the code of one commit; no invariant was broken. */
export interface StoredPart extends Pick<LivesResult, "lives" | "cpuMs" | "simulatedMs" | "faults"> {
  readonly commit: string;
  readonly seed: number;
  /** One digest for all traces. */
  readonly traces: string;
}

export interface StoredCampaign {
  readonly kind: LifeKind["name"];
  /** The seed of the first life. */
  readonly seed: number;
  readonly parts: readonly StoredPart[];
}

interface StoredCampaigns {
  /** One of each kind of lives. */
  readonly campaigns: readonly StoredCampaign[];
}

function read<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function write(path: string, value: object): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  const round = (_key: string, part: unknown): unknown => (typeof part === "number" ? Number(part.toFixed(1)) : part);
  writeFileSync(join(root, path), `${JSON.stringify(value, round, 2)}\n`);
  return path;
}

const measure = (command: string): Measured => ({
  command,
  measuredAt: new Date().toISOString(),
  machine: readMachine(),
});

export const readStoredLives = (): readonly StoredLives[] => read<StoredLivesRuns>(LIVES_PATH)?.runs ?? [];
export const readPlantedRuns = (): readonly PlantedRun[] => read<StoredPlanted>(PLANTED_PATH)?.runs ?? [];

export const readCampaigns = (): readonly StoredCampaign[] => read<StoredCampaigns>(CAMPAIGN_PATH)?.campaigns ?? [];

/** Replaces the campaign of the same kind of lives. Returns the path of the file. */
export function writeCampaign(campaign: StoredCampaign): string {
  const kept = readCampaigns().filter(({ kind }) => kind !== campaign.kind);
  return write(CAMPAIGN_PATH, { campaigns: [...kept, campaign].sort((one, other) => one.seed - other.seed) });
}

/** Replaces the run of the same kind of lives. Returns the path of the file. */
export function writeLives(command: string, run: LivesRun & Pick<LivesResult, "digests">): string {
  const { seed, lives, seconds, processes, cpuMs, simulatedMs, faults, digests } = run;
  const stored: StoredLives = {
    ...measure(command),
    kind: toKind(seed).name,
    ...{ seed, lives, seconds, processes, cpuMs, simulatedMs, faults },
    traces: joinDigests(digests),
  };
  const kept = readStoredLives().filter(({ kind }) => kind !== stored.kind);
  return write(LIVES_PATH, { runs: [...kept, stored].sort((one, other) => one.seed - other.seed) });
}

/** The runs with a new one, which has the only rows of its planted faults. */
export function addPlantedRun(runs: readonly PlantedRun[], added: PlantedRun): readonly PlantedRun[] {
  const names = new Set(added.rows.map(({ name }) => name));
  const kept = runs.map((run) => ({ ...run, rows: run.rows.filter(({ name }) => !names.has(name)) }));
  return [...kept.filter(({ rows }) => rows.length > 0), added];
}

/** Replaces the rows of the same planted faults, and keeps the others. Returns the path of the file. */
export function writePlanted(command: string, rows: readonly PlantedRow[]): string {
  const sorted = [...rows].sort((one, other) => (one.name < other.name ? -1 : 1));
  return write(PLANTED_PATH, { runs: addPlantedRun(readPlantedRuns(), { ...measure(command), rows: sorted }) });
}
