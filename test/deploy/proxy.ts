/** A proxy in front of a node that closes its connections at chosen calls. */
import { once } from "node:events";
import { createServer } from "node:http";

export interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * What happens to a call: it is forwarded; its connection is closed before or after it is forwarded; or the answer is
 * null, as that of a node which does not know the subject yet.
 */
export type ProxyAction = "pass" | "close before" | "close after" | "answer null";

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
    const call = JSON.parse(body) as RpcCall & { readonly id: number };
    const action = await decide(call);
    if (action === "answer null") {
      return void outgoing.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: null }));
    }
    if (action === "close before") {
      onDisconnect();
      return void outgoing.destroy();
    }
    const response = await fetch(rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await response.text();
    if (action === "close after") {
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
