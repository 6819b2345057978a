/** Results of simulated runs: files of `dist/simulation/`, and the tables of docs/reliability.md. */
import { updateDocument } from "../../scripts/dev/docs/update-document.ts";
import { writeResult } from "../../scripts/dev/write-result.ts";
import { readMachine } from "../bench/compare/machine.ts";
import { addBatch, RELIABILITY_DOCUMENT, renderInjected } from "../pages/reliability.ts";
import { type BatchResult, joinDigests } from "./batch.ts";
import type { InjectedRow, Measured, MeasuredBatch, StoredBatch } from "./result-types.ts";
import { toKind } from "./run/kinds.ts";

const measure = (command: string): Measured => ({
  command,
  measuredAt: new Date().toISOString(),
  machine: readMachine(),
});

/** Stores a batch, which replaces the one of the same kind of runs. Returns the path of the file. */
export function writeBatch(command: string, batch: MeasuredBatch & Pick<BatchResult, "digests">): string {
  const { seed, runs, seconds, processes, cpuMs, simulatedMs, faults, coverage, digests } = batch;
  const stored: StoredBatch = {
    ...measure(command),
    kind: toKind(seed).name,
    ...{ seed, runs, seconds, processes, cpuMs, simulatedMs, faults, coverage },
    traces: joinDigests(digests),
  };
  updateDocument(RELIABILITY_DOCUMENT, (text) => addBatch(text, stored));
  return writeResult(`simulation/${stored.kind}-runs.json`, stored);
}

/** Stores a search, and replaces the rows of the same injected faults. Returns the path of the file. */
export function writeInjected(command: string, rows: readonly InjectedRow[]): string {
  const run = { ...measure(command), rows };
  updateDocument(RELIABILITY_DOCUMENT, (text) => renderInjected(text, run));
  return writeResult("simulation/injected.json", run);
}
