/** Passes requests of `/mcp` on to its process, after the checks that the protocol requires of a server. */
import { type IncomingMessage, type RequestListener, type ServerResponse, request as sendRequest } from "node:http";
import { pipeline } from "node:stream";
import { ArcadeError, quoteReceived } from "../../../domain/errors.ts";
import { isAllowedOrigin, isPrivateName, type OwnOrigins, PUBLIC_URL_NEXT } from "../../../domain/origins.ts";
import { createProblem } from "../../../domain/problem.ts";
import { getClientAddress, type TrustProxy } from "../../requests/client-address.ts";
import { getRequestId } from "../../requests/request-id.ts";
import { PREFLIGHT_HEADERS } from "../responses/headers.ts";

export interface McpProxyOptions {
  /** The Unix socket of the process. Rejects if there is none. */
  getSocketPath(): Promise<string>;
  /** The origins of the service's own pages. */
  readonly origins: OwnOrigins;
  /** Without a public URL, programs of other containers and machines reach the service by any private name. */
  readonly allowsPrivateNames: boolean;
  readonly trustProxy: TrustProxy;
  readonly draining: () => boolean;
}

const PATH = "/mcp";
/** The only method: there are no streams to open, and no sessions to end. */
const METHOD = "POST";
/** Headers that concern only one connection and are not passed on. */
const HOP_HEADERS = ["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "expect"];

function reject(request: IncomingMessage, response: ServerResponse, error: ArcadeError): void {
  const { status, headers, body } = createProblem(error, getRequestId(request));
  const allow = error.code === "METHOD_NOT_ALLOWED" ? { Allow: METHOD } : {};
  response.writeHead(status, { ...headers, ...allow, "Cache-Control": "no-store", Connection: "close" });
  response.end(JSON.stringify(body));
}

const listHosts = (origins: readonly string[]): readonly string[] => origins.map((origin) => new URL(origin).host);

/** A page of another site must not use a server on a machine that the site cannot reach itself (DNS rebinding). */
function findError(
  request: IncomingMessage,
  { origins, allowsPrivateNames, draining }: McpProxyOptions,
): ArcadeError | null {
  if (draining()) return new ArcadeError("SHUTTING_DOWN", "The service is stopping; try again in a few seconds.");
  const { origin, host = "" } = request.headers;
  if (origin !== undefined && !isAllowedOrigin(origin, origins))
    return new ArcadeError(
      "FORBIDDEN",
      `Expected no Origin, or one of the service's own pages, received ${quoteReceived(origin)}. ${PUBLIC_URL_NEXT}`,
    );
  const url = allowsPrivateNames ? URL.parse(`http://${host}`) : null;
  const isOwn = (url !== null && isPrivateName(url.hostname)) || listHosts(origins(host)).includes(host.toLowerCase());
  if (!isOwn)
    return new ArcadeError(
      "FORBIDDEN",
      `Expected the Host of the service's own address, received ${quoteReceived(host)}. ${PUBLIC_URL_NEXT}`,
    );
  if (request.method === METHOD) return null;
  return new ArcadeError("METHOD_NOT_ALLOWED", `Expected ${METHOD} for ${PATH}, received ${request.method}.`);
}

/** Lets an accepted page of another port read the responses; returns true if this was its preflight. */
function answerPage({ headers: { origin }, method }: IncomingMessage, response: ServerResponse, origins: OwnOrigins) {
  if (origin === undefined || !isAllowedOrigin(origin, origins)) return false;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Vary", "Origin");
  if (method !== "OPTIONS") return false;
  response.writeHead(204, PREFLIGHT_HEADERS).end();
  return true;
}

function forward(request: IncomingMessage, response: ServerResponse, socketPath: string, address: string): void {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_HEADERS.includes(name)));
  // Always POST: Node sends a body of unknown length chunked only for methods that usually have one; otherwise the
  // target would read the body as further requests.
  const passed = sendRequest({
    socketPath,
    path: PATH,
    method: METHOD,
    headers: { ...headers, "x-forwarded-for": address },
  });
  passed.on("response", (answer) => {
    const { connection: _, "keep-alive": __, ...others } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, { ...others, "cache-control": "no-store" });
    // A response that breaks off ends the caller's wait.
    pipeline(answer, response, () => undefined);
  });
  passed.on("error", () => {
    if (response.headersSent) response.destroy();
    else reject(request, response, new ArcadeError("INTERNAL", "The server of /mcp ended; try again."));
  });
  response.once("close", () => passed.destroy());
  request.pipe(passed);
}

/** Handles `/mcp`; `next` handles everything else. */
export function serveMcp(options: McpProxyOptions, next: RequestListener): RequestListener {
  return (request, response) => {
    if (request.url?.split("?")[0] !== PATH) return next(request, response);
    if (answerPage(request, response, options.origins)) return;
    const error = findError(request, options);
    if (error !== null) return reject(request, response, error);
    const address = getClientAddress(request, options.trustProxy);
    options.getSocketPath().then(
      (socketPath) => {
        // If the caller has left, its response is already closed and would never end the forwarded request.
        if (!response.destroyed) forward(request, response, socketPath, address);
      },
      () =>
        reject(request, response, new ArcadeError("INTERNAL", "The server of /mcp could not be started; try again.")),
    );
  };
}
