/** Spectators that count frames and bytes without parsing them, and answer pings, since a server drops silent ones. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { FrameScanner } from "../../../backend/rate-limits/frame-scanner.ts";
import type { ConnectInfo } from "./side.ts";

/** Spectators that connect at the same time. */
const CONNECT_BATCH_SIZE = 50;
const CONNECT_TIMEOUT_MS = 30_000;

/** What the spectators of a side have received so far. */
export interface Received {
  frames: number;
  bytes: number;
}

/** Counts what the socket receives, from its first frame on. `ws` still reads the handshake's messages. */
function countFrames(ws: WebSocket, received: Received): { detachParser(): void } {
  const socket = (ws as unknown as { _socket: Socket })._socket;
  const [parser] = socket.listeners("data") as ((chunk: Buffer) => void)[];
  const scanner = new FrameScanner();
  let isCounting = false;
  const onData = (chunk: Buffer): void => {
    const { frames, controlsAndFragments } = scanner;
    scanner.scan(chunk);
    const controls = scanner.controlsAndFragments - controlsAndFragments;
    if (!isCounting) return;
    received.frames += scanner.frames - frames - controls;
    received.bytes += chunk.length;
    for (let i = 0; i < controls; i++) ws.pong();
  };
  socket.on("data", onData);
  return {
    detachParser: () => {
      socket.off("data", parser!);
      isCounting = true;
    },
  };
}

async function connectViewer({ url, messages }: ConnectInfo, received: Received): Promise<void> {
  const ws = new WebSocket(url, { perMessageDeflate: false });
  // A wait for a message rejects with the error. Later, the count of frames shows that a connection has ended.
  ws.on("error", () => undefined);
  let counter: ReturnType<typeof countFrames> | null = null;
  // Inside the event handler, before the first bytes arrive.
  ws.on("open", () => {
    counter = countFrames(ws, received);
  });
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  let unread = 0;
  ws.on("message", () => {
    unread += 1;
  });
  const next = async (): Promise<void> => {
    while (unread === 0) await once(ws, "message", { signal });
    unread -= 1;
  };
  await once(ws, "open", { signal });
  for (const message of messages) {
    ws.send(message);
    await next();
  }
  counter!.detachParser();
}

/** Throws if a connection is not made in time. */
export async function connectViewers(tickets: readonly ConnectInfo[], received: Received): Promise<void> {
  for (let i = 0; i < tickets.length; i += CONNECT_BATCH_SIZE) {
    await Promise.all(tickets.slice(i, i + CONNECT_BATCH_SIZE).map((ticket) => connectViewer(ticket, received)));
  }
}
