/** The bridge on stdin and stdout. Synchronous reads and writes halve the time of a small step. */
import { readSync, writeSync } from "node:fs";
import { createBridge } from "./bridge.ts";

const CHUNK_BYTES = 65_536;

/** Waits if another process, such as npm, has made the pipe non-blocking. */
function retry(call: () => number): number {
  for (;;) {
    try {
      return call();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Windows reports the end of a pipe as an error.
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += retry(() => writeSync(1, bytes, at));
}

/** Answers until stdin ends. Throws `RangeError` for an unknown game, request or action. */
export function serveBridge(slug: string, runs: number | null, ticksPerStep: number): void {
  const bridge = createBridge(slug, runs, ticksPerStep);
  writeAll(Buffer.from(bridge.head));
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let size = 1; size > 0; ) {
    size = retry(() => readSync(0, chunk, 0, CHUNK_BYTES, null));
    for (const answer of bridge.take(Buffer.from(chunk.subarray(0, size)))) writeAll(answer);
  }
}
