/** The problem document of a failure (RFC 9457): one form for HTTP responses, rejected upgrades and OpenAPI. */
import { type ArcadeError, ERRORS, type ErrorCode } from "./errors.ts";

export interface ProblemBody {
  readonly ok: false;
  readonly code: ErrorCode;
  /** What was expected, what was received, and the next step. */
  readonly error: string;
  readonly retryable: boolean;
  readonly requestId: string;
  /** The anchor of the code on the page of errors. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The code's own fields. */
  readonly [field: string]: unknown;
}

export interface Problem {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: ProblemBody;
}

/** Statuses whose responses carry `Retry-After` (RFC 9110 §10.2.3, RFC 6585 §4). */
export const hasRetryAfter = (status: number): boolean => status === 429 || status === 503;

/** Status, headers and body of an error's response. `Retry-After`: the error's own `retryAfterSeconds`, or 1. */
export function createProblem(error: ArcadeError, requestId: string): Problem {
  const { code, message, fields } = error;
  const { status, retryable, title } = ERRORS[code];
  return {
    status,
    headers: {
      "Content-Type": "application/problem+json; charset=utf-8",
      "X-Request-Id": requestId,
      ...(hasRetryAfter(status) ? { "Retry-After": String(fields.retryAfterSeconds ?? 1) } : {}),
    },
    body: {
      ok: false,
      code,
      error: message,
      retryable,
      requestId,
      type: `/docs/errors#${code}`,
      title,
      status,
      detail: message,
      ...fields,
    },
  };
}

/** The client's own request id if its header has the allowed form; null otherwise. */
export const parseRequestId = (header: string | readonly string[] | undefined): string | null =>
  typeof header === "string" && /^[A-Za-z0-9._-]{8,64}$/.test(header) ? header : null;

/** A problem as the bytes of a whole HTTP/1.1 response, for a socket without a response object; it is then closed. */
export function formatRawProblem({ status, headers, body }: Problem, reasonPhrase: string): string {
  const text = JSON.stringify(body);
  const allHeaders = {
    ...headers,
    "Content-Length": new TextEncoder().encode(text).length,
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-store",
    Connection: "close",
  };
  const head = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${reasonPhrase}`, ...head, "", text].join("\r\n");
}
