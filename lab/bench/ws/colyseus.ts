/** Colyseus on its `ws` transport: a room for each session, its simulation interval, and a broadcast in each tick. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { matchMaker, Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { type BenchServer, makeSession, type OnTick } from "./side.ts";

/** The client's acknowledgement of its place in a room (`JOIN_ROOM` of Colyseus' protocol). */
const JOIN_ROOM = Uint8Array.of(10);

let notifyTick: OnTick = () => {};

class BenchRoom extends Room {
  override onCreate({ n, tickHz }: { n: number; tickHz: number }): void {
    const next = makeSession(n, tickHz);
    this.autoDispose = false;
    this.seatReservationTimeout = 120;
    this.patchRate = null as never;
    this.setSimulationInterval(() => {
      notifyTick(n);
      this.broadcast("frame", next());
    }, 1000 / tickHz);
  }
}

export async function startColyseus(onTick: OnTick): Promise<BenchServer> {
  notifyTick = onTick;
  const http = createServer();
  const transport = new WebSocketTransport({ server: http, pingInterval: 0, perMessageDeflate: false } as never);
  const server = new Server({ transport, greet: false } as never);
  server.define("bench", BenchRoom as never);
  await server.listen(0, "127.0.0.1");
  const { port } = http.address() as AddressInfo;
  let opened = 0;
  return {
    open: async (tickHz, viewers) => {
      const { roomId } = await matchMaker.createRoom("bench", { n: opened++, tickHz });
      const seats = await Promise.all(Array.from({ length: viewers }, () => matchMaker.joinById(roomId, {})));
      return seats.map(({ processId, sessionId }) => ({
        url: `ws://127.0.0.1:${port}/${processId}/${roomId}?sessionId=${sessionId}`,
        greets: true,
        say: [JOIN_ROOM],
      }));
    },
  };
}
