import type { RequestListener, Server } from "node:http";
import { join } from "node:path";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { ArcadeError, quoteReceived } from "../../../domain/errors.ts";
import type { Deployment } from "../../ports/chain.ts";
import type { Versions } from "../../ports/versions.ts";
import type { TrustProxy } from "../../requests/client-address.ts";
import { getRequestId } from "../../requests/request-id.ts";
import type { Services } from "../../services/services.ts";
import { createInstructions } from "../instructions/instructions.ts";
import { KeptResponses } from "../kept/kept-responses.ts";
import { serveKept } from "../kept/serve-kept.ts";
import { createDocuments } from "../openapi/documents.ts";
import { Authenticator } from "../pipeline/access.ts";
import { createLocalFetch } from "../pipeline/local-reads.ts";
import { handleRequest, type PipelinePorts } from "../pipeline/pipeline.ts";
import { Players } from "../pipeline/players.ts";
import { setHeaders } from "../responses/headers.ts";
import { recordResponse } from "../responses/record-response.ts";
import { sendPrivate, sendProblem } from "../responses/response.ts";
import type { HandlerServices } from "../routing/handler-services.ts";
import type { Route } from "../routing/route.ts";
import { RouteTable } from "../routing/route-table.ts";
import { createSite, type Site } from "../site/site.ts";
import { serveSiteFiles } from "../site/site-files.ts";
import { Steps } from "./steps.ts";

export interface HttpOptions extends Omit<PipelinePorts, "services" | "authenticator" | "kept" | "players"> {
  readonly routes: readonly Route[];
  readonly services: Services;
  readonly versions: Versions;
  /** While the database does not respond, cached responses are served even if outdated; never if left out. */
  readonly isStoreAway?: () => boolean;
  readonly trustProxy: TrustProxy;
  /** Chain 31337: the development routes exist. */
  readonly isLocal: boolean;
  readonly deployment: Deployment;
  /** Known once the service listens. */
  readonly publicUrl: () => string;
  /** The chain's public RPC; null if it is not published. */
  readonly rpcUrl: string | null;
  /** A JSON-RPC of the chain that browsers may use; null if there is none. */
  readonly browserRpcUrl: string | null;
  /** Folder of the built site, null if there is none. */
  readonly webDir: string | null;
}

const toExpressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The routes of a service: the development routes exist only on the local chain. */
export const selectRoutes = (routes: readonly Route[], isLocal: boolean): readonly Route[] =>
  routes.filter((route) => isLocal || !route.localOnly);

/** The handlers' services: the application's, and the descriptions of the interface itself. */
function createHandlerServices(options: HttpOptions, routes: readonly Route[]): HandlerServices {
  const { services, deployment, publicUrl, rpcUrl } = options;
  const { catalog } = services;
  const wsUrl = (): string => publicUrl().replace(/^http/, "ws");
  return {
    ...services,
    documents: createDocuments({ routes, slugs: catalog.games.map(({ slug }) => slug), publicUrl, wsUrl }),
    instructions: createInstructions({ routes, catalog, deployment, publicUrl, wsUrl, rpcUrl }),
  };
}

export interface HttpApp {
  readonly listener: RequestListener;
  /** Prepares Express once the server listens; otherwise the first request that only Express can handle does so. */
  prepareWhenListening(server: Server): void;
}

/** The HTTP server: every route of the table, the site, and typed errors for everything else. */
export function createHttpApp(options: HttpOptions): HttpApp {
  const kept = new KeptResponses(options.versions, options.isStoreAway);
  const routes = selectRoutes(options.routes, options.isLocal);
  const services = createHandlerServices(options, routes);
  const authenticator = new Authenticator(services, options.limiter);
  const players = new Players(services.identity, options.clock);
  const ports: PipelinePorts = { ...options, services, authenticator, kept, players };
  const site =
    options.webDir === null
      ? null
      : createSite({
          ...options,
          webDir: options.webDir,
          hasLeague: services.league.isOn,
          fetch: createLocalFetch(routes, services),
        });
  const servedRoutes = [...routes, ...(site?.routes ?? [])];
  const app = createExpressApp();
  // Express takes tens of milliseconds to compile its routes, as long as a tick: do this neither while the server
  // starts, nor all at once while it runs games.
  const steps = new Steps(addRoutes(app, options, { routes: servedRoutes, site }, ports));
  const serveOthers: RequestListener = (request, response) => {
    steps.finish();
    app(request, response);
  };
  return {
    listener: serveKept({ ...options, kept }, serveRoutes(app, serveOthers, servedRoutes, ports)),
    prepareWhenListening: (server) => server.once("listening", () => steps.spread()),
  };
}

/** Handles requests of the table's routes like Express, without its router; `serveOthers` handles all others. */
function serveRoutes(
  app: Express,
  serveOthers: RequestListener,
  routes: readonly Route[],
  ports: PipelinePorts,
): RequestListener {
  const table = new RouteTable(routes);
  return (request, response) => {
    const found = table.find(request.method!, request.url!);
    if (found === null) return serveOthers(request, response);
    // Shared prototypes instead of the app's: otherwise each server's requests have a different hidden class, and V8
    // does not optimize the code that handles them.
    const expressRequest = Object.setPrototypeOf(request, express.request) as Request;
    const expressResponse = Object.setPrototypeOf(response, express.response) as Response;
    expressRequest.app = app;
    expressResponse.app = app;
    expressRequest.res = expressResponse;
    expressResponse.req = expressRequest;
    expressRequest.params = found.params;
    void handleRequest(found.route, expressRequest, expressResponse, ports);
  };
}

/** Whether a browser requests a page, outside of the interface. */
const isForPage = (request: Request): boolean =>
  request.method === "GET" && !request.path.startsWith("/api/") && request.accepts(["json", "html"]) === "html";

function createExpressApp(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("query parser", "simple");
  // Express itself sends only errors.
  app.set("etag", false);
  return app;
}

type SendError = (request: Request, response: Response, error: ArcadeError) => void;

/** Sends and records errors of requests that belong to no route. */
const createErrorSender =
  (options: HttpOptions): SendError =>
  (request, response, error) => {
    const requestId = getRequestId(request);
    response.set("X-Request-Id", requestId);
    sendProblem(response, requestId, error);
    const requestInfo = { route: "none", method: request.method, requestId, startedMs: options.clock.monotonicMs() };
    recordResponse(requestInfo, { status: error.status, code: error.code }, options);
  };

function* addRoutes(
  app: Express,
  options: HttpOptions,
  { routes, site }: { readonly routes: readonly Route[]; readonly site: Site | null },
  ports: PipelinePorts,
): Generator<void, void> {
  const sendError = createErrorSender(options);
  app.use(setHeaders);
  yield* addMethodErrors(app, yield* addRouteHandlers(app, routes, ports), sendError);
  addSite(app, options.webDir, site);
  addFallbacks(app, sendError);
}

type MethodsByPath = ReadonlyMap<string, readonly string[]>;

/** Returns the methods of each path. */
function* addRouteHandlers(
  app: Express,
  routes: readonly Route[],
  ports: PipelinePorts,
): Generator<void, MethodsByPath> {
  const methodsByPath = new Map<string, readonly string[]>();
  for (const route of routes) {
    const path = toExpressPath(route.path);
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), route.method]);
    const handler = (request: Request, response: Response) => handleRequest(route, request, response, ports);
    if (route.method === "GET") app.get(path, handler);
    else app.post(path, handler);
    yield;
  }
  return methodsByPath;
}

/** Rejects the methods that a path of the table does not have. */
function* addMethodErrors(app: Express, methodsByPath: MethodsByPath, sendError: SendError): Generator<void, void> {
  for (const [path, methods] of methodsByPath) {
    // Faster than `app.all`, which creates a handler for each HTTP method.
    app.route(path).all((request: Request, response: Response) => {
      response.set("Allow", [...methods, "OPTIONS"].join(", "));
      const message = `Expected ${methods.join(" or ")} for ${request.path.slice(0, 120)}, received ${request.method}.`;
      sendError(request, response, new ArcadeError("METHOD_NOT_ALLOWED", message));
    });
    yield;
  }
}

/** The files of the site, and its page for unknown addresses. */
function addSite(app: Express, webDir: string | null, site: Site | null): void {
  // Browsers request it on every page, including the documents.
  app.get("/favicon.ico", (_, response) => {
    if (webDir === null) response.status(204).end();
    else response.redirect(301, "/favicon.svg");
  });
  if (webDir !== null) app.use(...serveSiteFiles(join(webDir, "public")));
  if (site === null) return;
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!isForPage(request)) return next();
    const head = { requestId: getRequestId(request), headers: ["Vary", "Accept"] };
    void site.createNotFound(request.url).then((page) => sendPrivate(request, response, page, head), next);
  });
}

/** A proxy that drops the header `Upgrade` turns a socket's request into a plain one. */
const CHANNEL = /^\/ws\/[^/]+\/(?:play|spectate)$/;

function addFallbacks(app: Express, sendError: SendError): void {
  app.use((request: Request, response: Response) => {
    const path = request.path.slice(0, 120);
    const message = CHANNEL.test(path)
      ? `Expected a WebSocket at ${path}, received a plain ${request.method}; connect by ws:// or wss://, and let a proxy pass the headers Upgrade and Connection.`
      : `There is nothing at ${request.method} ${path}; GET /api/agent-instructions describes every call.`;
    sendError(request, response, new ArcadeError("NOT_FOUND", message));
  });
  // Four parameters make this Express's error handler: it gets paths that cannot be decoded.
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    sendError(
      request,
      response,
      new ArcadeError(
        "BAD_REQUEST",
        `Expected a path in UTF-8 with % escapes, received ${quoteReceived(request.path)}.`,
      ),
    );
  });
}
