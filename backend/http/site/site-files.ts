/** The built site's files, in the compressed form that the build wrote beside them if the client accepts it. */
import { existsSync, readdirSync } from "node:fs";
import { extname, join, sep } from "node:path";
import express, { type NextFunction, type Request, type RequestHandler, type Response } from "express";
import { POLICY_WORKER_NAME } from "../../../domain/site.ts";
import { chooseEncoding } from "../responses/encodings.ts";

const SUFFIXES = { br: ".br", gzip: ".gz" } as const;

/** Only the worker's script allows WebAssembly; pages do not. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** Built files have their content's hash in their name. */
function setFileHeaders(response: Response, path: string): void {
  response.set("Cache-Control", path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
  if (path.includes(`/assets/${POLICY_WORKER_NAME}-`)) response.set("Content-Security-Policy", WORKER_POLICY);
}

/** The paths of files with both compressed forms. */
const listCompressed = (folder: string): ReadonlySet<string> =>
  new Set(
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: "utf8" })
          .filter(
            (name) => name.endsWith(SUFFIXES.br) && existsSync(join(folder, name.replace(/\.br$/, SUFFIXES.gzip))),
          )
          .map((name) => `/${name.replaceAll(sep, "/").replace(/\.br$/, "")}`)
      : [],
  );

/** Two handlers: the first rewrites the path to the compressed file, the second serves files. */
export function serveSiteFiles(folder: string): readonly RequestHandler[] {
  const compressed = listCompressed(folder);
  const chooseFile = (request: Request, response: Response, next: NextFunction): void => {
    const { path } = request;
    if ((request.method === "GET" || request.method === "HEAD") && compressed.has(path)) {
      response.vary("Accept-Encoding");
      const encoding = chooseEncoding(request);
      if (encoding !== null) {
        request.url = path + SUFFIXES[encoding];
        response.set("Content-Encoding", encoding).type(extname(path));
      }
    }
    next();
  };
  return [chooseFile, express.static(folder, { index: false, redirect: false, setHeaders: setFileHeaders })];
}
