import type { Response } from "express";
import { ArcadeError, ERRORS } from "../domain/errors.ts";
import { Reply } from "./route.ts";

/** The flat success envelope; a `Reply` with a text body goes out as it is. */
export function sendAnswer(response: Response, requestId: string, answer: Reply | object): void {
  const reply = answer instanceof Reply ? answer : new Reply(200, answer as Reply["body"]);
  response.status(reply.status).set(reply.headers);
  if (typeof reply.body === "string") response.send(reply.body);
  else response.json({ ok: true, requestId, ...reply.body });
}

/** The problem document of a failure (RFC 9457) as a flat object. */
export function problemOf(error: ArcadeError, requestId: string): { readonly [field: string]: unknown } {
  const { status, retryable, title } = ERRORS[error.code];
  return {
    ok: false,
    code: error.code,
    error: error.message,
    retryable,
    requestId,
    type: `/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    ...error.fields,
  };
}

/** What a caller may know of anything thrown: a bug's own words never leave. */
export const publicError = (thrown: unknown): ArcadeError =>
  thrown instanceof ArcadeError
    ? thrown
    : new ArcadeError("INTERNAL", "The service made a mistake; try once more, then report the requestId.");

export function sendProblem(response: Response, requestId: string, error: ArcadeError): void {
  const { status } = ERRORS[error.code];
  if (status === 429 || status === 503) {
    response.set("Retry-After", String(error.fields.retryAfterSeconds ?? 1));
  }
  response
    .status(status)
    .type("application/problem+json")
    .send(JSON.stringify(problemOf(error, requestId)));
}
