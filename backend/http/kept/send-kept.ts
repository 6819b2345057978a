/** Sends kept responses, and answers conditional requests for them (RFC 9110 §13.1.2). */
import type { IncomingMessage, ServerResponse } from "node:http";
import { parseRequestId } from "../../../domain/problem.ts";
import { chooseEncoding, type Encoding } from "../responses/compression.ts";
import { COMMON_HEADERS, type ResponseHead } from "../responses/headers.ts";
import type { KeptBody } from "./kept-body.ts";
import type { KeptResponse } from "./kept-responses.ts";

/** The start of a tag up to the id of the request; the whole tag where the body holds none. */
const createTagStart = ({ digest, hasId }: KeptBody, encoding: Encoding | null): string =>
  `"${digest}.${encoding ?? "plain"}${hasId ? "." : '"'}`;

/**
 * The tag in `If-None-Match` of a body with the present content; null where there is none. Each response has a tag of
 * its own, since the id of its request is in its body; a client that has one of them has the present content.
 */
function findMatchingTag(header: string | undefined, tag: string, tagStart: string): string | null {
  if (header === undefined) return null;
  if (header.trim() === "*") return tag;
  for (const candidate of header.split(",")) {
    // Proxies that compress make a tag weak.
    const received = candidate.trim().replace(/^W\//, "");
    if (received === tagStart) return received;
    const hasStart = received.startsWith(tagStart) && received.endsWith('"');
    if (hasStart && parseRequestId(received.slice(tagStart.length, -1)) !== null) return received;
  }
  return null;
}

/** The names and values of all headers in turn, as `writeHead` takes them fastest; made once for each response. */
const rawHeaders = new WeakMap<KeptResponse, readonly string[]>();
function getRawHeaders(kept: KeptResponse): readonly string[] {
  const known = rawHeaders.get(kept);
  if (known !== undefined) return known;
  const raw = Object.entries({ ...COMMON_HEADERS, ...kept.headers }).flat();
  rawHeaders.set(kept, raw);
  return raw;
}

/**
 * Sends a kept response, compressed where the client accepts it, or 304 where the client has it already. Returns the
 * status; a promise where the bytes are not ready yet.
 */
export function sendKept(
  request: IncomingMessage,
  response: ServerResponse,
  kept: KeptResponse,
  { requestId, headers }: ResponseHead,
): number | Promise<number> {
  const { body } = kept;
  const encoding = request.method === "GET" ? chooseEncoding(request, body.listEncodings(requestId)) : null;
  const tagStart = createTagStart(body, encoding);
  const tag = body.hasId ? `${tagStart}${requestId}"` : tagStart;
  const matchingTag = findMatchingTag(request.headers["if-none-match"], tag, tagStart);
  const all = [...getRawHeaders(kept), ...headers, "X-Request-Id", requestId, "ETag", matchingTag ?? tag];
  if (matchingTag !== null) {
    all.splice(all.indexOf("Content-Type"), 2);
    response.writeHead(304, all).end();
    return 304;
  }
  if (encoding !== null) all.push("Content-Encoding", encoding);
  const send = (bytes: Buffer): number => {
    all.push("Content-Length", String(bytes.length));
    response.writeHead(200, all).end(bytes);
    return 200;
  };
  const bytes = body.encode(encoding, requestId);
  return bytes instanceof Promise ? bytes.then(send) : send(bytes);
}
