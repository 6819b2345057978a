/** A TCP proxy that counts what its clients send: an observer outside the processes that a bench measures. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CountingProxy {
  readonly port: number;
  /** Bytes of the clients so far. */
  readonly sentBytes: number;
  close(): void;
}

export async function startCountingProxy(targetPort: number): Promise<CountingProxy> {
  let sentBytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay();
      // A side that has ended takes its connection along.
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("data", (chunk) => {
      sentBytes += chunk.length;
    });
    client.pipe(target).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get sentBytes() {
      return sentBytes;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
