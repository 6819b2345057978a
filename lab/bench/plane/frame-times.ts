/** One viewer that measures how late frames come, against the earliest of them. */
import { once } from "node:events";
import { WebSocket } from "ws";
import type { ConnectInfo } from "../ws/side.ts";

export interface FrameTimes {
  /** Frames since the last reset. */
  readonly count: number;
  reset(): void;
  /** The time from the owner's tick to the viewer. */
  p99Ms(): number;
}

/** Frames carry when they were made (`extra.sentAtMs`), by the clock that all processes of the machine share. */
export async function probeFrames({ url, say }: ConnectInfo): Promise<FrameTimes> {
  const ws = new WebSocket(url, { perMessageDeflate: false });
  let ways: number[] = [];
  ws.on("message", (data) => {
    const nowMs = performance.timeOrigin + performance.now();
    const message = JSON.parse(String(data)) as { readonly t: string; readonly frame?: { readonly sentAtMs: number } };
    if (message.frame !== undefined) ways.push(nowMs - message.frame.sentAtMs);
  });
  await once(ws, "open");
  for (const message of say) ws.send(message);
  await once(ws, "message");
  return {
    get count() {
      return ways.length;
    },
    reset: () => {
      ways = [];
    },
    p99Ms: () => [...ways].sort((a, b) => a - b)[Math.floor(ways.length * 0.99)] ?? Number.NaN,
  };
}
