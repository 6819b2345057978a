/** A node's door in front of another node, which may fall shut at any moment of any call. */
import { once } from "node:events";
import { createServer } from "node:http";

export interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * What happens to a call: it passes, the door falls shut before it was passed on or before it was answered, or the node
 * behind knows nothing yet of what is asked for.
 */
export type ProxyAction = "pass" | "shut before" | "shut after" | "know nothing";

/** Starts a proxy; `shut` is told after the door fell. */
export async function startProxy(
  rpcUrl: string,
  decide: (call: RpcCall) => ProxyAction | Promise<ProxyAction>,
  onDisconnect: () => void = () => {},
) {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const call = JSON.parse(body) as RpcCall & { readonly id: number };
    const action = await decide(call);
    if (action === "know nothing") {
      return void outgoing.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: null }));
    }
    if (action === "shut before") {
      onDisconnect();
      return void outgoing.destroy();
    }
    const response = await fetch(rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await response.text();
    if (action === "shut after") {
      onDisconnect();
      return void outgoing.destroy();
    }
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
