/** Reports that all clients share one address because `ARCADE_TRUST_PROXY` is off. */
import type { IncomingMessage, Server } from "node:http";
import type { Log } from "../../ports/system.ts";
import { isProxy } from "../../requests/client-address.ts";

/** A client on the Internet may write the header too; a proxy is usually near. */
const NEAR = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1", "fc00::/7"];

/** Warns once, at the first request that a proxy nearby has passed on. */
export function warnOfUntrustedProxy(server: Server, log: Log): void {
  const check = ({ headers, socket }: IncomingMessage): void => {
    const isForwarded = headers["x-forwarded-for"] !== undefined && headers["x-arcade-own-key"] === undefined;
    if (!isForwarded || !isProxy(socket.remoteAddress, NEAR)) return;
    server.off("request", check).off("upgrade", check);
    log.warn(
      { proxy: socket.remoteAddress },
      "a proxy passes requests on, but ARCADE_TRUST_PROXY is off: limits count all its clients as one; set it (docs/config.md)",
    );
  };
  server.on("request", check).on("upgrade", check);
}
