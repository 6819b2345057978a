/** Sends cached responses before Express sees the request. */
import type { IncomingMessage, RequestListener } from "node:http";
import { toIpKey } from "../../../domain/limits/address-keys.ts";
import type { RateLimiter } from "../../ports/system.ts";
import { tryTakeOfAddress } from "../../rate-limits/request-limits.ts";
import { getClientAddress, type TrustProxy } from "../../requests/client-address.ts";
import { getRequestId } from "../../requests/request-id.ts";
import { type RecordPorts, recordResponse } from "../responses/record-response.ts";
import { sendPublic } from "../responses/response.ts";
import { createKeptKey, type KeptResponses } from "./kept-responses.ts";

export interface ServeKeptPorts extends RecordPorts {
  readonly kept: KeptResponses;
  readonly limiter: RateLimiter;
  readonly trustProxy: TrustProxy;
}

/** Whether the client accepts Markdown, the only other type of kept responses besides the default. */
export const acceptsMarkdown = (request: IncomingMessage): boolean =>
  request.headers.accept?.includes("text/markdown") ?? false;

/**
 * A listener that sends a cached and current response. Passes everything else on to `next`, including requests over
 * their limit, which get their error there.
 */
export function serveKept(ports: ServeKeptPorts, next: RequestListener): RequestListener {
  const { kept, limiter, trustProxy, clock } = ports;
  return (request, response) => {
    const ready = request.method === "GET" ? kept.find(createKeptKey(request.url!, acceptsMarkdown(request))) : null;
    if (ready === null) return next(request, response);
    const startedMs = clock.monotonicMs();
    const headers: string[] = [];
    const ip = toIpKey(getClientAddress(request, trustProxy));
    if (!tryTakeOfAddress(limiter, ready.route, ip, headers)) return next(request, response);
    const requestId = getRequestId(request);
    const info = { route: ready.route.name, method: "GET", requestId, startedMs };
    const record = (status: number): void => recordResponse(info, { status, code: null }, ports);
    const status = sendPublic(request, response, ready, { requestId, headers });
    if (typeof status === "number") record(status);
    else status.then(record, (error: unknown) => response.destroy(error as Error));
  };
}
