import type { Response } from "express";
import { ArcadeError } from "../../../domain/errors.ts";
import { createProblem } from "../../../domain/problem.ts";
import type { HttpResponse } from "../routing/route.ts";
import { COMPRESSED_MIN_BYTES, sendText } from "./compression.ts";
import { ENVELOPE_TYPE } from "./content-type.ts";
import { RAW_COMMON_HEADERS, type ResponseHead, setHead } from "./headers.ts";
import { renderProblemPage } from "./problem-page.ts";

const toEnvelope = (requestId: string, body: object): string => JSON.stringify({ ok: true, requestId, ...body });

/** Sends an envelope that no cache may keep. A short one gets all its headers at once, without Express's checks of each. */
export async function sendPrivate(
  response: Response,
  head: ResponseHead,
  { status, body }: { readonly status: number; readonly body: object },
): Promise<void> {
  const { requestId, headers } = head;
  const text = toEnvelope(requestId, body);
  const length = Buffer.byteLength(text);
  const own = ["Cache-Control", "no-store", "Content-Type", ENVELOPE_TYPE];
  if (response.req.method === "GET" && length >= COMPRESSED_MIN_BYTES) {
    setHead(response, { requestId, headers: [...headers, ...own] });
    return sendText(response.status(status), text);
  }
  const all = [...RAW_COMMON_HEADERS, "X-Request-Id", requestId, ...headers, ...own, "Content-Length", String(length)];
  response.writeHead(status, all).end(text);
}

/** Sends the flat success envelope; a text body is sent as it is. */
export function sendResponse(
  response: Response,
  requestId: string,
  { status, headers, body }: HttpResponse,
): Promise<void> {
  response.status(status).set(headers);
  if (typeof body === "string") return sendText(response, body);
  response.setHeader("Content-Type", ENVELOPE_TYPE);
  return sendText(response, toEnvelope(requestId, body));
}

/** What a caller may know of anything thrown; the text of a bug is never sent. */
export const toPublicError = (error: unknown): ArcadeError =>
  error instanceof ArcadeError
    ? error
    : new ArcadeError("INTERNAL", "The service made a mistake; try once more, then report the requestId.");

/** Sends a problem document, or its page to a browser that navigates: a client that names no type gets the document. */
export function sendProblem(response: Response, requestId: string, error: ArcadeError): void {
  const { status, headers, body } = createProblem(error, requestId);
  const { req: request } = response;
  response.status(status).set(headers).vary("Accept");
  if (request.method === "GET" && request.accepts(["json", "html"]) === "html")
    response.type("html").send(renderProblemPage(body));
  else response.send(JSON.stringify(body));
}
