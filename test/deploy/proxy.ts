/** A proxy in front of a node that closes its connections at chosen calls. */
import { once } from "node:events";
import { createServer } from "node:http";

export interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** What happens to a call: it is forwarded, or its connection is closed before. */
export type ProxyAction = "pass" | "close before";

/** Starts a proxy. `onDisconnect` is called before it closes a connection. */
export async function startProxy(
  rpcUrl: string,
  decide: (call: RpcCall) => ProxyAction | Promise<ProxyAction>,
  onDisconnect: () => void = () => {},
) {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const action = await decide(JSON.parse(body) as RpcCall);
    if (action === "close before") {
      onDisconnect();
      return void outgoing.destroy();
    }
    const response = await fetch(rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await response.text();
    outgoing.writeHead(response.status, { "content-type": "application/json" }).end(text);
  });
  server.on("clientError", (_, socket) => void socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
