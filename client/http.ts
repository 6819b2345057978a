/**
 * One HTTP request: turns a route and its flat input into a request, and the response into a value or an
 * `ArcadeApiError`.
 */
import { ArcadeApiError, toApiError } from "./errors.ts";
import type { RouteSpec } from "./route-spec.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpRequest {
  readonly route: RouteSpec;
  readonly input: { readonly [field: string]: unknown };
  readonly token: string | null;
  readonly idempotencyKey: string | null;
  /** The latest block that the client has seen; 0 or absent before the first one. */
  readonly minBlock?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Longer than the 10 s for which a payout waits for its block. */
const TIMEOUT_MS = 30_000;

function toUrl(baseUrl: string, route: RouteSpec, input: HttpRequest["input"]): { url: string; rest: object } {
  const rest: Record<string, unknown> = { ...input };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    if (typeof value !== "string" || value === "") throw new TypeError(`${route.path} needs "${name}"`);
    delete rest[name];
    return encodeURIComponent(value);
  });
  if (route.method === "POST") return { url: baseUrl + path, rest };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) query.set(name, String(value));
  return { url: query.size === 0 ? baseUrl + path : `${baseUrl}${path}?${query}`, rest: {} };
}

function parseRetryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}

async function readValue(response: Response, isText: boolean): Promise<unknown> {
  const text = await response.text();
  if (isText && response.ok) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Sends one request. Throws `ArcadeApiError` unless it succeeds. */
export function createRequestSender(
  baseUrl: string,
  fetch: Fetch,
  /** Called with the block of the response. */
  onBlock: (block: number) => void = () => undefined,
): (request: HttpRequest) => Promise<unknown> {
  return async ({ route, input, token, idempotencyKey, minBlock = 0, signal }) => {
    const { url, rest } = toUrl(baseUrl, route, input);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(url, {
        method: route.method,
        headers: {
          accept: "application/json",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
          ...(route.method === "POST" ? { "content-type": "application/json" } : {}),
          // Servers must answer as of this block or later.
          ...(route.method === "POST" && minBlock > 0 ? { "arcade-min-block": String(minBlock) } : {}),
        },
        ...(route.method === "POST" ? { body: JSON.stringify(rest) } : {}),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      body = await readValue(response, route.text === true);
      onBlock(Number(response.headers.get("arcade-block")));
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const reason = getCauseMessage(cause);
      const question = NO_TLS.test(reason) ? "is it http:// there, without TLS?" : "is the service running there?";
      throw new ArcadeApiError({
        code: "NETWORK_FAULT",
        message: `${route.method} ${url} got no answer (${reason}); ${question}`,
        status: 0,
        retryable: true,
        cause,
      });
    }
    const isSuccess = response.ok && (route.plain === true || (body as { ok?: unknown } | undefined)?.ok === true);
    if (isSuccess && body !== undefined) return body;
    throw toApiError(response.status, body, parseRetryAfter(response), describe(response));
  };
}

/**
 * Describes a response that may come from another program: a login page, a firewall, a redirect that turns POST into
 * GET.
 */
function describe({ status, headers, redirected, url }: Response): string {
  const type = headers.get("content-type")?.split(";")[0];
  const form = type === undefined || type.includes("json") ? "" : ` with ${type}`;
  return `HTTP ${status}${form}${redirected ? ` after a redirect to ${url}` : ""}`;
}

/** OpenSSL's codes for a port that answers in plain text. */
const NO_TLS = /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/;

/** `fetch` puts the reason of a network failure in its cause. */
function getCauseMessage(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return (cause as { code?: string }).code ?? cause.message;
}
