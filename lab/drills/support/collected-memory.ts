/** The memory that a backend holds after a garbage collection, which a signal starts. */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { waitUntil } from "./drill.ts";
import type { BackendProcess } from "./process.ts";

const SIGNAL = "SIGUSR2";
const COLLECTED = /collected (\d+)\n/;
const COLLECTED_WITHIN_MS = 60_000;

export interface MemorySample {
  /** Memory held by JavaScript, in its heap and outside. */
  readonly liveBytes: number;
  /** The anonymous memory of the process, which no file backs. */
  readonly anonymousBytes: number;
}

/** In the backend (`server-faults.ts`): collects garbage on the signal, and writes the remaining bytes. */
export function collectOnSignal(): void {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  process.on(SIGNAL, () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    process.stderr.write(`collected ${heapUsed + external}\n`);
  });
}

function readAnonymousBytes(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

/** Throws if the backend does not answer the signal. */
export async function measureMemory({ processId, output }: BackendProcess): Promise<MemorySample> {
  const from = output().length;
  let liveBytes = 0;
  process.kill(processId, SIGNAL);
  await waitUntil(
    "the garbage is collected",
    () => {
      const found = COLLECTED.exec(output().slice(from));
      liveBytes = Number(found?.[1]);
      return found !== null;
    },
    COLLECTED_WITHIN_MS,
  );
  return { liveBytes, anonymousBytes: readAnonymousBytes(processId) };
}
