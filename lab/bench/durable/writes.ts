/** A server that stores one row for each request, and answers after that. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Started } from "../endpoint/side.ts";

export interface DurableOptions {
  readonly databaseFile: string;
}

/** `store` gets the request's path, a text of its own for each request. Returns the server's address. */
export async function serveWrites(store: (key: string) => Promise<unknown>): Promise<Started> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      store(request.url ?? "").then(
        () => response.writeHead(200, { "Content-Length": 6 }).end("stored"),
        () => response.writeHead(500, { "Content-Length": 6 }).end("failed"),
      );
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export const createRow = (key: string) =>
  ({ kind: "bench", key, payloadHash: `0x${"11".repeat(32)}`, atMs: Date.now() }) as const;
