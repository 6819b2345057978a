import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** In `x-arcade-own-key`: the request comes from a process that this one has started, which names its caller. */
export const OWN_PROCESS_KEY = randomUUID();

/** Some proxies write the client's port behind its address: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/** The address in an entry of `X-Forwarded-For`; null where it has none. */
function parseAddress(entry: string): string | null {
  const [, inBrackets, ipv4] = WITH_PORT.exec(entry) ?? [];
  const address = inBrackets ?? ipv4 ?? entry;
  return isIP(address) === 0 ? null : address;
}

/**
 * The client's address. Behind a proxy it is the last one in `X-Forwarded-For`, as in Express with one trusted hop, and
 * the proxy's own where that is no address: a port or any other text would make each request another client's.
 */
export function getClientAddress(request: IncomingMessage, trustProxy: boolean): string {
  const isTrusted = trustProxy || request.headers["x-arcade-own-key"] === OWN_PROCESS_KEY;
  const forwardedFor = isTrusted ? String(request.headers["x-forwarded-for"] ?? "") : "";
  const address = forwardedFor === "" ? null : parseAddress(forwardedFor.split(",").at(-1)!.trim());
  return address ?? request.socket.remoteAddress ?? "unknown";
}
