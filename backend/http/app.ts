import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { ArcadeError } from "../domain/errors.ts";
import { sendProblem } from "./answer.ts";
import { setHeaders } from "./headers.ts";
import { noteAnswer, type PipelinePorts, requestIdOf, serve } from "./pipeline.ts";
import type { Route } from "./route.ts";

export interface HttpOptions extends PipelinePorts {
  readonly routes: readonly Route[];
  readonly trustProxy: boolean;
  /** Chain 31337: routes of development exist. */
  readonly isLocal: boolean;
  /** Folder of the built viewer, null where there is none. */
  readonly webDir: string | null;
}

const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** Built files carry their content's hash in their name; the page that names them must always be fresh. */
function cacheByName(response: Response, path: string): void {
  response.set("Cache-Control", path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
}

/** The HTTP door: every route of the table, the viewer's files, and typed errors for everything else. */
export function makeHttpApp(options: HttpOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", options.trustProxy ? 1 : false);
  app.set("query parser", "simple");
  // Routes tag their own answers: the envelope's requestId would make each one another.
  app.set("etag", false);
  app.use(setHeaders);

  const routes = options.routes.filter((route) => options.isLocal || !route.localOnly);
  const methodsByPath = new Map<string, string[]>();
  for (const route of routes) {
    const path = expressPath(route.path);
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), route.method]);
    const handler = (request: Request, response: Response) => serve(route, request, response, options);
    if (route.method === "GET") app.get(path, handler);
    else app.post(path, handler);
  }
  const refuse = (request: Request, response: Response, error: ArcadeError): void => {
    const requestId = requestIdOf(request);
    response.set("X-Request-Id", requestId);
    sendProblem(response, requestId, error);
    const facts = { route: "none", method: request.method, requestId, startedMs: options.clock.monotonicMs() };
    noteAnswer(facts, { status: error.status, code: error.code }, options);
  };
  for (const [path, methods] of methodsByPath) {
    app.all(path, (request: Request, response: Response) => {
      response.set("Allow", [...methods, "OPTIONS"].join(", "));
      refuse(
        request,
        response,
        new ArcadeError(
          "METHOD_NOT_ALLOWED",
          `Expected ${methods.join(" or ")} for ${request.path.slice(0, 120)}, received ${request.method}.`,
        ),
      );
    });
  }
  if (options.webDir !== null) app.use(express.static(options.webDir, { setHeaders: cacheByName }));
  app.use((request: Request, response: Response) => {
    refuse(
      request,
      response,
      new ArcadeError(
        "NOT_FOUND",
        `There is nothing at ${request.method} ${request.path.slice(0, 120)}; /api/agent-instructions tells the way.`,
      ),
    );
  });
  // Four parameters make it Express's error handler: a path that cannot be decoded ends here.
  app.use((fault: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) {
      next(fault);
      return;
    }
    refuse(request, response, new ArcadeError("BAD_REQUEST", "The request's path cannot be decoded."));
  });
  return app;
}
