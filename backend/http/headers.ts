/** Headers that every answer carries: who may read it, and what a browser may do with it. */
import type { NextFunction, Request, RequestHandler, Response } from "express";
import helmet from "helmet";

/** Pages are ours alone, sockets and pictures may come from elsewhere (wallets, agents' images); nobody may frame them. */
const secure = helmet({
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
  // Wallets open windows of their own and answer from them.
  crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
  crossOriginResourcePolicy: { policy: "cross-origin" },
  // Subdomains are somebody else's to decide over.
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  xFrameOptions: { action: "deny" },
});

/** Any page may read: tokens travel in a header that no browser adds by itself, and there are no cookies. */
const READERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag",
};
const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id",
  "Access-Control-Max-Age": "86400",
};

/** Sets the headers of every answer, and answers preflights. */
export const setHeaders: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  secure(request, response, (fault?: unknown) => {
    if (fault !== undefined) return next(fault);
    response.set(READERS);
    if (request.method !== "OPTIONS") return next();
    response.set(PREFLIGHT).status(204).end();
  });
};
