import type { Response } from "express";
import { ArcadeError } from "../domain/errors.ts";
import { createProblem } from "../domain/problem.ts";
import { sendText } from "./compression.ts";
import { ENVELOPE_TYPE } from "./content-type.ts";
import { renderProblemPage } from "./problem-page.ts";
import type { HttpResponse } from "./route.ts";

/** Sends the flat success envelope; a text body is sent as it is. */
export function sendResponse(
  response: Response,
  requestId: string,
  { status, headers, body }: HttpResponse,
): Promise<void> {
  response.status(status).set(headers);
  if (typeof body === "string") return sendText(response, body);
  response.setHeader("Content-Type", ENVELOPE_TYPE);
  return sendText(response, JSON.stringify({ ok: true, requestId, ...body }));
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
