/** socket.io with a room for each session, over its WebSocket transport. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { type BenchServer, makeSession, type OnTick } from "./side.ts";

export async function startSocketIo(onTick: OnTick): Promise<BenchServer> {
  const http = createServer();
  const io = new Server(http, { transports: ["websocket"], perMessageDeflate: false, pingInterval: 600_000 });
  io.on("connection", (socket) => socket.on("join", (room: string) => void socket.join(room)));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`;
  let opened = 0;
  return {
    open: async (tickHz, viewers) => {
      const n = opened++;
      const next = makeSession(n, tickHz);
      setInterval(() => {
        onTick(n);
        io.to(`room ${n}`).emit("frame", next());
      }, 1000 / tickHz);
      // Engine.IO 4: connect to the namespace, then the join event.
      return Array.from({ length: viewers }, () => ({
        url,
        greets: true,
        say: ["40", `42["join","room ${n}"]`],
      }));
    },
  };
}
