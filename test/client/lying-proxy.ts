/** A proxy that changes the answers of a real service: a service that lies to its clients. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

// biome-ignore lint/suspicious/noExplicitAny: the JSON of any answer
type Json = any;
/** Changes the body of an answer in place, or returns another one. */
type Lie = (body: Json) => unknown;

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Listens on a free port; `forwardTo` is the service once it runs, `lie` replaces the answers of a path. */
export async function startLyingProxy() {
  let target = "";
  let lies = new Map<string, Lie>();
  const server = createServer(async (request, response) => {
    const method = request.method ?? "GET";
    const text = await readText(request);
    const { authorization } = request.headers;
    const answer = await fetch(target + request.url, {
      method,
      headers: { "Content-Type": "application/json", ...(authorization === undefined ? {} : { authorization }) },
      ...(method === "POST" ? { body: text } : {}),
    });
    const body: Json = await answer.json();
    const lie = lies.get(new URL(request.url ?? "/", target).pathname);
    const told: Json = lie?.(body) ?? body;
    response.writeHead(lie === undefined ? answer.status : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ ...told, ok: lie === undefined ? body.ok : true }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(url: string): void {
      target = url;
    },
    lie(path: string, lie: Lie): void {
      lies.set(path, lie);
    },
    tellTheTruth(): void {
      lies = new Map();
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
