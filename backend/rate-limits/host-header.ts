import type { IncomingMessage } from "node:http";
import { ArcadeError } from "../../domain/errors.ts";

/** Null if the request has exactly one `Host` header. */
export function findHostError({ rawHeaders, httpVersion }: IncomingMessage): ArcadeError | null {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === "host") count += 1;
  if (count === 1 || (count === 0 && httpVersion !== "1.1")) return null;
  const message = `Expected one Host header (RFC 9112 §3.2), received ${count === 0 ? "none" : count}; send one.`;
  return new ArcadeError("BAD_REQUEST", message);
}
