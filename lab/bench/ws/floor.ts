/**
 * The lower bound of a tick's cost: prepared bytes, written to each socket of the session by `net.Socket`.
 * `isIdle`: the idle side, which counts its ticks and writes nothing.
 */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer } from "ws";
import { encodeTextFrame } from "../../../domain/protocol/websocket-frames.ts";
import { type BenchServer, makeSession, type OnTick } from "./side.ts";

/** The tick whose frame is sent: it has the median number of entities. */
const TYPICAL_TICK = 100;

export async function startFloor(onTick: OnTick, isIdle = false): Promise<BenchServer> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socketsOf: Set<Socket>[] = [];
  server.on("connection", (ws, request) => {
    const sockets = socketsOf[Number(request.url?.slice(1))]!;
    sockets.add(request.socket);
    ws.on("error", () => {});
    ws.on("close", () => sockets.delete(request.socket));
  });
  return {
    open: async (tickHz, viewers) => {
      const sockets = new Set<Socket>();
      const n = socketsOf.push(sockets) - 1;
      const next = makeSession(n, tickHz);
      for (let tick = 1; tick < TYPICAL_TICK; tick++) next();
      const bytes = encodeTextFrame(JSON.stringify(next()));
      setInterval(() => {
        onTick(n);
        if (!isIdle) for (const socket of sockets) socket.write(bytes);
      }, 1000 / tickHz);
      return Array.from({ length: viewers }, () => ({ url: `ws://127.0.0.1:${port}/${n}`, messages: [] }));
    },
  };
}
