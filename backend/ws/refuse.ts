import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ArcadeError, ERRORS } from "../domain/errors.ts";

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** Answers an upgrade with an HTTP error, in the same form as every other route (RFC 9457), and closes. */
export function refuseUpgrade(request: IncomingMessage, socket: Duplex, error: ArcadeError): void {
  const given = request.headers["x-request-id"];
  const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
  const body = JSON.stringify({
    ok: false,
    code: error.code,
    error: error.message,
    retryable: error.retryable,
    requestId,
    type: `/docs/errors#${error.code}`,
    title: ERRORS[error.code].title,
    status: error.status,
    detail: error.message,
    ...error.fields,
  });
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? "Error"}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...(error.status === 503 ? ["Retry-After: 1"] : []),
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
