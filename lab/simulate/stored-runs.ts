/** Results of simulated lives: files of `dist/simulation/`, and the tables of docs/reliability.md. */
import { updateDocument } from "../../scripts/dev/docs/update-document.ts";
import { writeResult } from "../../scripts/dev/write-result.ts";
import { readMachine } from "../bench/compare/machine.ts";
import { addLives, RELIABILITY_DOCUMENT, renderInjected } from "../pages/reliability.ts";
import { toKind } from "./life/kinds.ts";
import { joinDigests, type LivesResult } from "./lives.ts";
import type { InjectedRow, LivesRun, Measured, StoredLives } from "./result-types.ts";

const measure = (command: string): Measured => ({
  command,
  measuredAt: new Date().toISOString(),
  machine: readMachine(),
});

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
