/** Conditional reads (RFC 9110 §8.8.3, §13.1.2): an unchanged public answer is told in a status instead of a body. */
import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import type { Reply, Route } from "./route.ts";

/** Weak: the envelope's `requestId` differs in every answer, what the answer says does not. */
export const etagOf = (body: Reply["body"]): string =>
  `W/"${createHash("sha256")
    .update(typeof body === "string" ? body : JSON.stringify(body))
    .digest("base64url")
    .slice(0, 22)}"`;

/** Whether `If-None-Match` names the tag. Weak comparison. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const bare = (value: string): string => value.trim().replace(/^W\//, "");
  return header.trim() === "*" || header.split(",").some((one) => bare(one) === bare(tag));
}

/**
 * Marks a public read with its tag and answers 304 where the client holds it already; true where that was all.
 * Answers that belong to a caller are never kept anywhere.
 */
export function answerUnchanged(route: Route, reply: Reply, request: Request, response: Response): boolean {
  if (route.method !== "GET" || route.access !== "public" || reply.status !== 200) {
    if (reply.headers["Cache-Control"] === undefined) response.set("Cache-Control", "no-store");
    return false;
  }
  const tag = etagOf(reply.body);
  response.set({ ETag: tag, "Cache-Control": "no-cache", Vary: "Accept", ...reply.headers });
  if (!matchesTag(request.get("if-none-match"), tag)) return false;
  response.removeHeader("Content-Type");
  response.status(304).end();
  return true;
}
