/** Headers of every response: who may read it, and what a browser may do with it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import helmet from "helmet";
import { STYLE_SOURCE } from "../openapi/html.ts";

const toName = (directive: string): string => directive.split(" ", 1)[0]!;

/**
 * What a page of the service may load: its own files, pictures in `data:` URLs, and the one inline style of the
 * documents' pages. `connectOrigins`: the only other origins that it may connect to. `more`: further directives, which
 * replace those of the same name.
 */
export function createContentSecurityPolicy(connectOrigins: readonly string[], more: readonly string[] = []): string {
  const given = new Set(more.map(toName));
  const defaults = [
    "default-src 'self'",
    ["connect-src 'self'", ...connectOrigins].join(" "),
    "img-src 'self' data:",
    `style-src 'self' ${STYLE_SOURCE}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return [...defaults.filter((directive) => !given.has(toName(directive))), ...more].join("; ");
}

const setSecurityHeaders = helmet({
  contentSecurityPolicy: false,
  // Wallets open windows and post messages from them.
  crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
  crossOriginResourcePolicy: { policy: "cross-origin" },
  // Subdomains may belong to other services, which decide for themselves.
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  xFrameOptions: { action: "deny" },
  // No current browser needs them: they are for old browsers and plugins, or turn off what is off by default.
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Every origin may read: tokens are in a header that browsers never add, and there are no cookies. */
const CORS_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag, Arcade-Block",
};
export const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
  // Code outside of a page's control adds headers, for tracing for example. `*` stands for all but Authorization.
  "Access-Control-Allow-Headers": "*, Authorization",
  "Access-Control-Max-Age": "86400",
};

/** helmet sets the same headers in every response. */
function readSecurityHeaders(): { readonly [name: string]: string } {
  const headers: { [name: string]: string } = {};
  const response = { setHeader: (name: string, value: string) => (headers[name] = value), removeHeader() {} };
  setSecurityHeaders({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}

/** The headers of every response. */
export const COMMON_HEADERS: { readonly [name: string]: string } = {
  "Content-Security-Policy": createContentSecurityPolicy([]),
  ...readSecurityHeaders(),
  ...CORS_HEADERS,
};

function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
}

export interface ResponseHead {
  readonly requestId: string;
  /** Alternating names and values of headers that not every response has. */
  readonly headers: readonly string[];
}

/** Sets a response's headers one by one, for errors that Express sends. */
export function setHead(response: ServerResponse, { requestId, headers }: ResponseHead): void {
  setCommonHeaders(response);
  response.setHeader("X-Request-Id", requestId);
  for (let i = 0; i < headers.length; i += 2) response.appendHeader(headers[i]!, headers[i + 1]!);
}

/** Sets the headers of every response, and responds to preflights. */
export const setHeaders: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  setCommonHeaders(response);
  if (request.method !== "OPTIONS") return next();
  response.set(PREFLIGHT_HEADERS).status(204).end();
};
