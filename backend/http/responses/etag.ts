/** Conditional reads (RFC 9110 §8.8.3, §13.1.2): an unchanged public response is a status without a body. */
import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import type { HttpResponse, Route } from "../routing/route.ts";

/** Weak: the envelope's `requestId` differs in every response, its content does not. */
const createEtag = (body: HttpResponse["body"]): string =>
  `W/"${createHash("sha256")
    .update(typeof body === "string" ? body : JSON.stringify(body))
    .digest("base64url")
    .slice(0, 22)}"`;

/** Whether `If-None-Match` names the tag. Weak comparison. */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const stripWeakPrefix = (value: string): string => value.trim().replace(/^W\//, "");
  return (
    header.trim() === "*" || header.split(",").some((candidate) => stripWeakPrefix(candidate) === stripWeakPrefix(etag))
  );
}

/**
 * Marks the response of a public read with its tag, and sends 304 where the client has it already; true where it did.
 * A caller's own responses are never cached.
 */
export function sendNotModified(
  route: Route,
  httpResponse: HttpResponse,
  request: Request,
  response: Response,
): boolean {
  if (route.method !== "GET" || route.access !== "public" || httpResponse.status !== 200) {
    if (httpResponse.headers["Cache-Control"] === undefined) response.set("Cache-Control", "no-store");
    return false;
  }
  // A document that never changes has a strong tag of its own.
  const etag = httpResponse.headers.ETag ?? createEtag(httpResponse.body);
  response.set({ ETag: etag, "Cache-Control": "no-cache", Vary: "Accept, Accept-Encoding", ...httpResponse.headers });
  if (!matchesEtag(request.get("if-none-match"), etag)) return false;
  response.removeHeader("Content-Type");
  response.status(304).end();
  return true;
}
