import type { IncomingMessage, ServerResponse } from "node:http";
import type { Response } from "express";
import { ArcadeError } from "../../../domain/errors.ts";
import { createProblem } from "../../../domain/problem.ts";
import type { HttpResponse } from "../routing/route.ts";
import { ENVELOPE_TYPE, withCharset } from "./content-type.ts";
import { chooseEncoding, type Encoding } from "./encodings.ts";
import { GzippedText } from "./gzipped-text.ts";
import { COMMON_HEADERS, type ResponseHead } from "./headers.ts";
import { renderProblemPage } from "./problem-page.ts";
import { compress, isCompressible, TextBody } from "./text-body.ts";

/** The flat envelope of a success, a whole text, or bytes. */
const toContent = ({ body }: HttpResponse): string | Buffer =>
  typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify({ ok: true, ...body });

function getContentType({ body, headers }: Pick<HttpResponse, "body" | "headers">): string {
  if (Buffer.isBuffer(body) || body instanceof GzippedText)
    return headers["Content-Type"] ?? "application/octet-stream";
  return typeof body === "string" ? withCharset(headers["Content-Type"]) : ENVELOPE_TYPE;
}

/**
 * All headers that do not depend on the request, as alternating names and values: `writeHead` takes them fastest. An
 * empty value removes a common header.
 */
const toRawHeaders = ({ body, headers }: HttpResponse, defaults: HttpResponse["headers"]): string[] =>
  Object.entries({
    ...COMMON_HEADERS,
    ...defaults,
    ...headers,
    "Content-Type": getContentType({ body, headers }),
  })
    .filter(([, value]) => value !== "")
    .flat();

/** The response of a public read: the same bytes for every client. */
export interface PublicResponse {
  readonly body: Pick<TextBody, "chooseEncoding" | "getTag" | "encode">;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

export const createPublicResponse = (response: HttpResponse): PublicResponse => ({
  body: response.body instanceof GzippedText ? response.body : new TextBody(toContent(response)),
  headers: toRawHeaders(response, { "Cache-Control": "no-cache", Vary: "Accept, Accept-Encoding" }),
});

/**
 * Whether `If-None-Match` contains the tag (RFC 9110 §13.1.2). Compressing proxies make a tag weak, and Apache's
 * mod_deflate appends `-gzip`.
 */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const known = ["*", tag, `${tag.slice(0, -1)}-gzip"`];
  return header.split(",").some((candidate) => known.includes(candidate.trim().replace(/^W\//, "")));
}

/**
 * Sends 304 to a client that already has the response. Returns the status, or a promise while a form is being
 * compressed.
 */
export function sendPublic(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers }: PublicResponse,
  head: ResponseHead,
): number | Promise<number> {
  const encoding = body.chooseEncoding(request);
  const tag = body.getTag(encoding);
  const all = [...headers, ...head.headers, "X-Request-Id", head.requestId, "ETag", tag];
  if (matchesTag(request.headers["if-none-match"], tag)) {
    all.splice(all.indexOf("Content-Type"), 2);
    response.writeHead(304, all).end();
    return 304;
  }
  const bytes = body.encode(encoding);
  if (bytes instanceof Promise) return bytes.then((ready) => sendBytes(response, 200, all, ready, encoding));
  return sendBytes(response, 200, all, bytes, encoding);
}

const PRIVATE = { "Cache-Control": "no-store" };
const PRIVATE_ENVELOPE_HEADERS = toRawHeaders({ status: 200, body: {}, headers: {} }, PRIVATE);

/**
 * Sends a response that no cache may store. Only reads are compressed: responses to POST contain tokens and signatures,
 * whose length must not depend on the text beside them.
 */
export async function sendPrivate(
  request: IncomingMessage,
  response: ServerResponse,
  httpResponse: HttpResponse,
  head: ResponseHead,
): Promise<void> {
  const { status, body, headers } = httpResponse;
  const isPlainEnvelope = typeof body !== "string" && !Buffer.isBuffer(body) && Object.keys(headers).length === 0;
  const raw = isPlainEnvelope ? PRIVATE_ENVELOPE_HEADERS : toRawHeaders(httpResponse, PRIVATE);
  const all = [...raw, ...head.headers, "X-Request-Id", head.requestId];
  const text = toContent(httpResponse);
  const isNegotiated = request.method === "GET" && isCompressible(text);
  if (isNegotiated) all.push("Vary", "Accept-Encoding");
  const encoding = isNegotiated ? chooseEncoding(request) : null;
  sendBytes(response, status, all, encoding === null ? text : await compress(Buffer.from(text), encoding), encoding);
}

function sendBytes(
  response: ServerResponse,
  status: number,
  headers: string[],
  bytes: Buffer | string,
  encoding: Encoding | null,
): number {
  if (encoding !== null) headers.push("Content-Encoding", encoding);
  headers.push("Content-Length", String(Buffer.byteLength(bytes)));
  response.writeHead(status, headers).end(bytes);
  return status;
}

/** What a caller may know of a thrown value; the text of a bug is never sent. */
export const toPublicError = (error: unknown): ArcadeError =>
  error instanceof ArcadeError
    ? error
    : new ArcadeError("INTERNAL", "The service made a mistake; try once more, then report the requestId.");

/**
 * Sends a problem document, or its page to a navigating browser: a client without an `Accept` type gets the document.
 */
export function sendProblem(response: Response, requestId: string, error: ArcadeError): void {
  const { status, headers, body } = createProblem(error, requestId);
  const { req: request } = response;
  // A shared cache may otherwise keep some errors, such as a 404 for what exists a moment later (RFC 9111, §4.2.2).
  response
    .status(status)
    .set({ ...PRIVATE, ...headers })
    .vary("Accept");
  if (request.method === "GET" && request.accepts(["json", "html"]) === "html")
    response.type("html").send(renderProblemPage(body));
  else response.send(JSON.stringify(body));
}
