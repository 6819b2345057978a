/** A proxy in front of PostgreSQL whose connections can die without an end, as those behind a firewall do. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

interface Link {
  readonly sockets: readonly Socket[];
  /** What the client has sent. */
  sent: string;
  isStalled: boolean;
}

export interface StallingProxy {
  readonly databaseUrl: string;
  /** Open connections on which a client has sent this text pass nothing on any more. Returns how many there are. */
  stall(text: string): number;
  close(): Promise<void>;
}

export async function startStallingProxy(databaseUrl: string): Promise<StallingProxy> {
  const target = new URL(databaseUrl);
  const links = new Set<Link>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const link: Link = { sockets: [client, upstream], sent: "", isStalled: false };
    links.add(link);
    client.on("data", (bytes) => {
      link.sent += bytes.toString("latin1");
      if (!link.isStalled) upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!link.isStalled) client.write(bytes);
    });
    const end = (): void => {
      links.delete(link);
      for (const socket of link.sockets) socket.destroy();
    };
    client.on("error", end).on("close", end);
    // The client of a dead connection does not notice that its server has closed it.
    upstream
      .on("error", () => undefined)
      .on("close", () => {
        if (!link.isStalled) end();
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    databaseUrl: url.href,
    stall(text) {
      const found = [...links].filter(({ sent }) => sent.includes(text));
      for (const link of found) link.isStalled = true;
      return found.length;
    },
    async close() {
      for (const { sockets } of links) for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
