/** Results of simulated lives: files of `dist/simulation/`, and the tables of docs/reliability.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { updateDocument } from "../../scripts/dev/docs/update-document.ts";
import { writeResult } from "../../scripts/dev/write-result.ts";
import { root } from "../../scripts/start/build.ts";
import { readMachine } from "../bench/compare/machine.ts";
import { addCampaign, addLives, RELIABILITY_DOCUMENT, renderInjected } from "../pages/reliability.ts";
import { toKind } from "./life/kinds.ts";
import { joinDigests, type LivesResult } from "./lives.ts";
import type { InjectedRow, LivesRun, Measured, StoredCampaign, StoredLives } from "./result-types.ts";

export const CAMPAIGN_PATH = "dist/simulation/campaign.json";

const measure = (command: string): Measured => ({
  command,
  measuredAt: new Date().toISOString(),
  machine: readMachine(),
});

/** The campaigns that were begun on this machine, one of each kind of lives. */
export function readCampaigns(): readonly StoredCampaign[] {
  try {
    return JSON.parse(readFileSync(join(root, CAMPAIGN_PATH), "utf8")) as readonly StoredCampaign[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Replaces the campaign of the same kind of lives. */
export function writeCampaign(campaign: StoredCampaign): void {
  const kept = readCampaigns().filter(({ kind }) => kind !== campaign.kind);
  writeResult("simulation/campaign.json", [...kept, campaign]);
  updateDocument(RELIABILITY_DOCUMENT, (text) => addCampaign(text, campaign));
}

/** Stores a run, and puts it in the place of the one before it of the same kind of lives. Returns the path of the file. */
export function writeLives(command: string, run: LivesRun & Pick<LivesResult, "digests">): string {
  const { seed, lives, seconds, processes, cpuMs, simulatedMs, faults, digests } = run;
  const stored: StoredLives = {
    ...measure(command),
    kind: toKind(seed).name,
    ...{ seed, lives, seconds, processes, cpuMs, simulatedMs, faults },
    traces: joinDigests(digests),
  };
  updateDocument(RELIABILITY_DOCUMENT, (text) => addLives(text, stored));
  return writeResult(`simulation/${stored.kind}-lives.json`, stored);
}

/** Stores a search, and replaces the rows of the same injected faults. Returns the path of the file. */
export function writeInjected(command: string, rows: readonly InjectedRow[]): string {
  const run = { ...measure(command), rows };
  updateDocument(RELIABILITY_DOCUMENT, (text) => renderInjected(text, run));
  return writeResult("simulation/injected.json", run);
}
