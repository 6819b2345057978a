/** The simplest server on `ws`: an interval for each session, one JSON text a tick, `send` to each spectator. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { type BenchServer, makeSession, type OnTick } from "./side.ts";

export async function startNaive(onTick: OnTick): Promise<BenchServer> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const viewersOf: Set<WebSocket>[] = [];
  server.on("connection", (ws, request) => {
    const viewers = viewersOf[Number(request.url?.slice(1))]!;
    viewers.add(ws);
    ws.on("error", () => {});
    ws.on("close", () => viewers.delete(ws));
  });
  return {
    open: async (tickHz, viewers) => {
      const sockets = new Set<WebSocket>();
      const n = viewersOf.push(sockets) - 1;
      const next = makeSession(n, tickHz);
      const tick = (): void => {
        onTick(n);
        const text = JSON.stringify(next());
        for (const ws of sockets) if (ws.readyState === ws.OPEN) ws.send(text);
      };
      setInterval(tick, 1000 / tickHz);
      return Array.from({ length: viewers }, () => ({ url: `ws://127.0.0.1:${port}/${n}`, messages: [] }));
    },
  };
}
