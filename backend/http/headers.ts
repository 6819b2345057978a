/** Headers of every response: who may read it, and what a browser may do with it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import helmet from "helmet";

/** Only the service's own pages; sockets and pictures of other origins (wallets, agents' images); no frames. */
const setSecurityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      connectSrc: ["'self'", "ws:", "wss:"],
      imgSrc: ["'self'", "data:", "https:"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  // Wallets open windows of their own and post messages from them.
  crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
  crossOriginResourcePolicy: { policy: "cross-origin" },
  // Subdomains may belong to other services, which decide for themselves.
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  xFrameOptions: { action: "deny" },
});

/** Every origin may read: tokens are in a header that no browser adds by itself, and there are no cookies. */
const CORS_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag",
};
const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id",
  "Access-Control-Max-Age": "86400",
};

/** What helmet sets is the same in every response. */
function readSecurityHeaders(): { readonly [name: string]: string } {
  const headers: { [name: string]: string } = {};
  const response = { setHeader: (name: string, value: string) => (headers[name] = value), removeHeader() {} };
  setSecurityHeaders({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}

/** The headers of every response. */
export const COMMON_HEADERS: { readonly [name: string]: string } = { ...readSecurityHeaders(), ...CORS_HEADERS };
const commonHeaders = Object.entries(COMMON_HEADERS);

export function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of commonHeaders) response.setHeader(name, value);
}

/** Sets the headers of every response, and responds to preflights. */
export const setHeaders: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  setCommonHeaders(response);
  if (request.method !== "OPTIONS") return next();
  response.set(PREFLIGHT_HEADERS).status(204).end();
};
