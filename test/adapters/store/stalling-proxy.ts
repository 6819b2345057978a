/** A proxy in front of PostgreSQL whose connections can die silently, as behind a firewall. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

interface Link {
  readonly sockets: readonly Socket[];
  /** The bytes that the client has sent. */
  sent: string;
  /** From now on no data passes in either direction, and the connection stays open. */
  isStalled: boolean;
}

/** A message that a client has sent and the server has not received. */
interface HeldMessage {
  /** Ends the client's connection; the server's stays open. */
  cut(): void;
  /** Forwards the message to the server. */
  deliver(): void;
}

export interface StallingProxy {
  readonly databaseUrl: string;
  /**
   * Open connections on which a client has sent this text stop passing data; `""` means all. Returns how many there
   * are.
   */
  stall(text: string): number;
  /** Stalls the connection that sends the next message with this text. Resolves when it was sent. */
  hold(text: string): Promise<HeldMessage>;
  close(): Promise<void>;
}

export async function startStallingProxy(databaseUrl: string): Promise<StallingProxy> {
  const target = new URL(databaseUrl);
  const links = new Set<Link>();
  let hold: { readonly text: string; readonly resolve: (message: HeldMessage) => void } | null = null;
  const options = { allowHalfOpen: true };
  const server = createServer(options, (client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, ...options });
    const link: Link = { sockets: [client, upstream], sent: "", isStalled: false };
    links.add(link);
    client.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      link.sent += text;
      if (hold !== null && text.includes(hold.text)) {
        link.isStalled = true;
        hold.resolve({ cut: () => client.resetAndDestroy(), deliver: () => upstream.write(bytes) });
        hold = null;
      }
      if (!link.isStalled) upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!link.isStalled) client.write(bytes);
    });
    const end = (): void => {
      // The other end of a dead connection does not notice.
      if (link.isStalled) return;
      links.delete(link);
      for (const socket of link.sockets) socket.destroy();
    };
    for (const socket of link.sockets) {
      socket.on("error", end).on("end", end).on("close", end);
    }
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
    hold: (text) =>
      new Promise((resolve) => {
        hold = { text, resolve };
      }),
    async close() {
      for (const { sockets } of links) for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
