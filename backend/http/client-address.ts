import type { IncomingMessage } from "node:http";

/**
 * The client's address. Behind a proxy it is the last one in `X-Forwarded-For`, as in Express with one trusted hop.
 */
export function getClientAddress(request: IncomingMessage, trustProxy: boolean): string {
  const forwardedFor = trustProxy ? String(request.headers["x-forwarded-for"] ?? "") : "";
  return forwardedFor.split(",").at(-1)?.trim() || request.socket.remoteAddress || "unknown";
}
