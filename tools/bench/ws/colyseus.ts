/** Colyseus on its `ws` transport: a room for each session, its simulation interval, and a broadcast a tick. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { matchMaker, Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { type BenchServer, makeSession, type OnTick } from "./side.ts";

/** The client's acknowledgement of its place in a room (`JOIN_ROOM` of Colyseus' protocol). */
const JOIN_ROOM = Uint8Array.of(10);

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

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
  const port = await freePort();
  const transport = new WebSocketTransport({ pingInterval: 0, perMessageDeflate: false } as never);
  const server = new Server({ transport, greet: false } as never);
  server.define("bench", BenchRoom as never);
  await server.listen(port, "127.0.0.1");
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
