/** The responses of a backend while another one works on its database. */
import { createServer, type Server } from "node:http";
import { ArcadeError } from "../../../domain/errors.ts";
import { createProblem } from "../../../domain/problem.ts";
import { getRequestId } from "../../requests/request-id.ts";

/**
 * A server that reports why it is not ready: `/healthz` 200, `/readyz` 503 with `getReason()`, everything else
 * `STORAGE_BUSY`.
 */
export function createStandbyServer(getReason: () => string): Server {
  return createServer((request, response) => {
    const path = request.url?.split("?")[0];
    const sendJson = (status: number, body: object): void => {
      response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
      response.end(JSON.stringify(body));
    };
    if (path === "/healthz") return sendJson(200, { status: "up" });
    if (path === "/readyz")
      return sendJson(503, {
        ready: false,
        checks: [{ name: "lease", ok: false, sentence: getReason(), required: true }],
      });
    const error = new ArcadeError("STORAGE_BUSY", `${getReason()}.`);
    const { status, headers, body } = createProblem(error, getRequestId(request));
    response.writeHead(status, { ...headers, "Cache-Control": "no-store", Connection: "close" });
    response.end(JSON.stringify(body));
  });
}
