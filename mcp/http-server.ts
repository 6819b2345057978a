/** Streamable HTTP between Node's server and the handler of the protocol library, which speaks `Request` and `Response`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { McpHttpHandler } from "@modelcontextprotocol/server";

const BODILESS = ["GET", "HEAD", "DELETE", "OPTIONS"];

function toRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  const method = request.method ?? "GET";
  const body = BODILESS.includes(method) ? null : (Readable.toWeb(request) as unknown as BodyInit);
  return new Request(`http://${request.headers.host ?? "localhost"}${request.url}`, {
    method,
    headers,
    body,
    signal,
    ...(body === null ? {} : { duplex: "half" }),
  } as RequestInit);
}

async function send(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) to.end();
  else await pipeline(Readable.fromWeb(response.body as unknown as ReadableStream), to);
}

/**
 * Rejects also where no `Request` can be made of what came: thrown in the listener, the error would end the process with
 * all its sessions.
 */
async function respond(
  handler: Pick<McpHttpHandler, "fetch">,
  call: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly signal: AbortSignal },
): Promise<void> {
  await send(await handler.fetch(toRequest(call.request, call.signal)), call.response);
}

export function createMcpHttpServer(handler: Pick<McpHttpHandler, "fetch">): Server {
  return createServer((request, response) => {
    const left = new AbortController();
    response.once("close", () => left.abort());
    respond(handler, { request, response, signal: left.signal }).catch(() => response.destroy());
  });
}
