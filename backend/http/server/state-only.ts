/** The HTTP server of a process without the role `api`: serves only the state of the process. */
import type { RequestListener } from "node:http";
import { createProblem } from "../../../domain/problem.ts";
import { createRoleError, type Roles } from "../../../domain/roles.ts";
import { getRequestId } from "../../requests/request-id.ts";

/** The state of the process, for load balancers and operators. */
export const STATE_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** Passes requests for the state of the process on to `next`, and rejects all others with `MISDIRECTED_REQUEST`. */
export function serveStateOnly(roles: Roles, next: RequestListener): RequestListener {
  return (request, response) => {
    if (STATE_PATHS.has(request.url!.split("?")[0]!)) return next(request, response);
    const { status, headers, body } = createProblem(createRoleError("api", roles), getRequestId(request));
    response.writeHead(status, { ...headers, "Cache-Control": "no-store", Connection: "close" });
    response.end(JSON.stringify(body));
  };
}
