import type { Clock, Log, Metrics } from "../../ports/system.ts";

/** Routes that monitoring requests all the time; logged only at debug level. */
const QUIET_ROUTES = new Set(["operations.healthz", "operations.readyz", "operations.metrics"]);

export interface RecordPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, "countRequest">;
}

/** Writes one log line and counts one request per response. Bodies and headers are left out: they contain secrets. */
export function recordResponse(
  requestInfo: {
    readonly route: string;
    readonly method: string;
    readonly requestId: string;
    readonly startedMs: number;
  },
  outcome: { readonly status: number; readonly code: string | null },
  ports: RecordPorts,
): void {
  const { route, method, requestId, startedMs } = requestInfo;
  const ms = Math.max(0, ports.clock.monotonicMs() - startedMs);
  ports.metrics?.countRequest({ route, method, ...outcome, seconds: ms / 1000 });
  const line = { requestId, method, route, ...outcome, ms: Math.round(ms * 10) / 10 };
  if (QUIET_ROUTES.has(route)) ports.log.debug(line, "request");
  else ports.log.info(line, "request");
}
