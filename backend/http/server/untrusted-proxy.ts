/** Reports that all clients share one address, because `ARCADE_TRUST_PROXY` does not fit the proxies in front. */
import type { IncomingMessage, Server } from "node:http";
import type { Log } from "../../ports/system.ts";
import { isProxy, type TrustProxy } from "../../requests/client-address.ts";
import { STATE_PATHS } from "./state-only.ts";

/** A client on the Internet may write the header too; a proxy is usually near. */
const NEAR = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1", "fc00::/7"];

const UNTRUSTED =
  "a proxy passes requests on, but ARCADE_TRUST_PROXY is off: limits count all its clients as one; set it (docs/config.md)";
const NAMELESS =
  "a request came without X-Forwarded-For, but ARCADE_TRUST_PROXY is set: limits count all clients of its sender as one; if that is a proxy, let it write the header (docs/operating.md)";

/** Warns once, at the first request that a proxy nearby has passed on in another way than the setting expects. */
export function warnOfProxy(server: Server, trustProxy: TrustProxy, log: Log): void {
  const isTrusting = trustProxy !== 0;
  const check = ({ headers, socket, url = "" }: IncomingMessage): void => {
    // Balancers and monitors read the state of the process themselves.
    if (headers["x-arcade-own-key"] !== undefined || STATE_PATHS.has(url.split("?")[0]!)) return;
    const isForwarded = headers["x-forwarded-for"] !== undefined;
    if (isForwarded === isTrusting || !isProxy(socket.remoteAddress, NEAR)) return;
    if (isTrusting && !isProxy(socket.remoteAddress, trustProxy)) return;
    server.off("request", check).off("upgrade", check);
    log.warn({ proxy: socket.remoteAddress }, isTrusting ? NAMELESS : UNTRUSTED);
  };
  server.on("request", check).on("upgrade", check);
}
