/** Adapts Node's HTTP server to the protocol library's handler, which uses `Request` and `Response`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { dropNullMembers } from "./null-members.ts";

const BODILESS = ["GET", "HEAD", "DELETE", "OPTIONS"];

/** Only a client that accepts event streams gets one; any other gets JSON. */
const acceptsStream = (accept = ""): boolean =>
  /(?:^|,)\s*text\/event-stream\s*(?:$|,|;)/i.test(accept) &&
  !/text\/event-stream\s*;\s*q=0(?:\.0*)?\s*(?:$|,)/i.test(accept);

/** The body. If it is too large, a prefix that is also too large. */
async function readBody(request: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays open for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  const text = Buffer.concat(chunks).toString();
  return bytes > bytesMax ? text : dropNullMembers(text);
}

async function toRequest(request: IncomingMessage, signal: AbortSignal, bytesMax: number): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  // The protocol library rejects a POST that does not accept both forms, and types like `application/vnd.api+json`.
  headers.set("accept", "application/json, text/event-stream");
  if (/^application\/[\w.-]+\+json\s*(?:$|;)/i.test(headers.get("content-type") ?? ""))
    headers.set("content-type", "application/json");
  const method = request.method ?? "GET";
  const body = BODILESS.includes(method) ? null : await readBody(request, bytesMax);
  // The body may have become shorter.
  headers.delete("content-length");
  return new Request(`http://${request.headers.host ?? "localhost"}${request.url}`, {
    method,
    headers,
    body,
    signal,
  });
}

/** The messages of an event stream as JSON. */
async function toJson(stream: Response): Promise<Response> {
  const messages = [...(await stream.text()).matchAll(/^data: (.+)$/gm)].map(([, data]) => data!);
  const body = messages.length === 1 ? messages[0]! : `[${messages.join(",")}]`;
  return new Response(body, { headers: { "content-type": "application/json" } });
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

async function send(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) to.end();
  else await pipeline(Readable.fromWeb(response.body as unknown as ReadableStream), to);
}

/**
 * Rejects also if the request cannot become a `Request`: thrown in the listener, the error would end the process with
 * all its sessions.
 */
async function respond(
  handler: Pick<McpHttpHandler, "fetch">,
  call: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly signal: AbortSignal },
  bodyBytesMax: number,
): Promise<void> {
  const response = await handler.fetch(await toRequest(call.request, call.signal, bodyBytesMax));
  const isWanted = !isStream(response) || acceptsStream(call.request.headers.accept);
  await send(isWanted ? response : await toJson(response), call.response);
}

export function createMcpHttpServer(handler: Pick<McpHttpHandler, "fetch">, bodyBytesMax: number): Server {
  return createServer((request, response) => {
    const left = new AbortController();
    response.once("close", () => left.abort());
    respond(handler, { request, response, signal: left.signal }, bodyBytesMax).catch(() => response.destroy());
  });
}
