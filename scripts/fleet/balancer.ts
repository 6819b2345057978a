/** A TCP balancer for a fleet on one machine: each connection goes to the next backend that accepts it. */
import { connect, createServer, type Socket } from "node:net";
import { listen } from "../../backend/adapters/node/listen.ts";

export interface Balancer {
  readonly port: number;
  /** Ends the connections to a backend, so that its clients reconnect to another one. */
  endConnections(backendPort: number): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

export interface BalancerOptions {
  /** 0 uses any free port. */
  readonly port: number;
  readonly whenBusy: "fail" | "next";
  /** The ports of the backends that take new connections, on the loopback. */
  readonly listPorts: () => readonly number[];
}

type Keep = (socket: Socket, backendPort: number | null) => void;

/** Throws if the port is busy. */
export async function startBalancer({ port, whenBusy, listPorts }: BalancerOptions): Promise<Balancer> {
  /** The port of the backend; null for a client's socket. */
  const open = new Map<Socket, number | null>();
  const keep: Keep = (socket, backendPort) => {
    open.set(socket, backendPort);
    socket.setNoDelay(true);
    // Each socket closes the other one; the programs at both ends know why.
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
  };
  let turn = 0;
  const server = createServer((client) => {
    keep(client, null);
    const ports = listPorts();
    const first = turn++;
    connectToOneOf(
      ports.map((_, index) => ports[(first + index) % ports.length]!),
      client,
      keep,
    );
  });
  const boundPort = await listen(server, { port, host: "127.0.0.1", whenBusy, portVariable: "ARCADE_PORT" });
  return {
    port: boundPort,
    endConnections: (backendPort) => {
      for (const [socket, port] of open)
        if (port === backendPort) socket.destroy(new Error(`the backend at ${port} does not answer`));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open.keys()) socket.destroy();
      }),
  };
}

/** Connects the client to the first port that accepts; if none does, closes the client's connection. */
function connectToOneOf([port, ...others]: readonly number[], client: Socket, keep: Keep): void {
  if (port === undefined || client.destroyed) {
    client.destroy();
    return;
  }
  const upstream = connect(port, "127.0.0.1");
  keep(upstream, port);
  const tryNext = (): void => connectToOneOf(others, client, keep);
  upstream.once("error", tryNext);
  upstream.once("connect", () => {
    upstream.removeListener("error", tryNext);
    if (client.destroyed) return void upstream.destroy();
    upstream.on("close", () => client.destroySoon());
    client.on("close", () => upstream.destroy());
    upstream.pipe(client);
    client.pipe(upstream);
  });
}
