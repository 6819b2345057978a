/** Temporary folders that are removed when the process ends; the next process removes those of a killed one. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "arcade-stack-";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const endings = new Set<() => void>();

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const processId = Number(/^arcade-stack-(\d+)-/.exec(name)?.[1]);
    if (!(processId > 0) || isRunning(processId)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to another user of the machine.
    }
  }
}

function endAll(): void {
  for (const end of endings) end();
  endings.clear();
}

function onSignal(signal: NodeJS.Signals): void {
  // If the process listens too, it ends in its own way.
  if (process.listenerCount(signal) > 1) return;
  endAll();
  process.off(signal, onSignal);
  process.kill(process.pid, signal);
}

/** Runs `end` when the process exits or gets a signal, until the returned function is called. */
export function endWithProcess(end: () => void): () => void {
  if (endings.size === 0) {
    process.on("exit", endAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  endings.add(end);
  return () => {
    endings.delete(end);
    if (endings.size > 0) return;
    process.off("exit", endAll);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

let isSwept = false;

export async function createTempFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  if (!isSwept) removeLeftovers();
  isSwept = true;
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const release = endWithProcess(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    remove: async () => {
      release();
      await rm(path, { recursive: true, force: true });
    },
  };
}
