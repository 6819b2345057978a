/** What reaches the HTTP server, before any of it is handled. */
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ArcadeError } from "../../domain/errors.ts";
import { createLimitError } from "../../domain/limits/limit-error.ts";
import { ADDRESS_LIMITS, CONNECTION_LIMITS } from "../../domain/limits/limits.ts";
import { createProblem } from "../../domain/problem.ts";
import type { RateLimiter } from "../ports/system.ts";
import { getClientAddress } from "../requests/client-address.ts";
import { getRequestId } from "../requests/request-id.ts";
import { toIpKey } from "./address-keys.ts";
import { KeyedCounter } from "./keyed-counter.ts";
import { type Place, SharedPlaces } from "./shared-places.ts";

/** For how long requests that arrived at once are handled before ticks that are due get their turn. */
const TURN_MS = 1;

/** A request that arrives slowly is closed. A missing `Host` gets a problem document from the gate, not Node's answer. */
export const GATE_SERVER_OPTIONS = {
  headersTimeout: CONNECTION_LIMITS.headersSeconds * 1000,
  requestTimeout: CONNECTION_LIMITS.requestSeconds * 1000,
  connectionsCheckingInterval: CONNECTION_LIMITS.checkMs,
  requireHostHeader: false,
  // Most requests have no body: their streams then need no events.
  optimizeEmptyRequests: true,
} as const satisfies ServerOptions;

/** What the gate knows of a connection. */
interface ConnectionState {
  /** Held until its first request has arrived as a whole. */
  place: Place | null;
  /** Requests whose response is not finished. */
  running: number;
  /** Nothing that still arrives is handled. */
  isRejected: boolean;
}

/**
 * Bounds the connections, the requests that are being received and the requests of an address, pipelined ones too. A
 * connection that exceeds them is closed, with a `RATE_LIMITED` unless responses are pending. The rest of a flood counts as a debt of its
 * address, which must be paid off before its next connection is accepted.
 */
export class RequestGate {
  readonly #limiter: RateLimiter;
  readonly #trustProxy: boolean;
  readonly #open = new KeyedCounter();
  readonly #receiving: SharedPlaces;
  /** Accepted requests in the order of their arrival. */
  readonly #waiting: (() => void)[] = [];
  /** When requests of this turn of the event loop have to wait for the next one; null before its first request. */
  #turnEndsAtMs: number | null = null;
  readonly #states = new WeakMap<Socket, ConnectionState>();

  constructor(limiter: RateLimiter, trustProxy: boolean) {
    this.#limiter = limiter;
    this.#trustProxy = trustProxy;
    this.#receiving = new SharedPlaces(CONNECTION_LIMITS.receivingInAll, CONNECTION_LIMITS.receivingPerIp);
  }

  /** `addresses`: those with open connections; `receiving`: connections whose request has not arrived as a whole. */
  stats(): { readonly addresses: number; readonly receiving: number } {
    return { addresses: this.#open.size, receiving: this.#receiving.count };
  }

  attach(server: Server): void {
    server.maxConnections = CONNECTION_LIMITS.inAll;
    server.on("connection", (socket) => this.#onConnection(socket));
    server.on("upgrade", (request) => {
      this.#limiter.charge(ADDRESS_LIMITS.requests, toIpKey(getClientAddress(request, this.#trustProxy)));
      this.#states.get(request.socket)?.place?.release();
    });
  }

  /**
   * The listener of the server's requests. A turn of the event loop handles requests for a bounded time, so that ticks
   * that are due run between requests that arrive at once.
   */
  wrap(handler: RequestListener): RequestListener {
    return (request, response) => {
      if (!this.#accept(request, response)) return;
      if (this.#waiting.length === 0 && this.#hasTime()) handler(request, response);
      else this.#waiting.push(() => handler(request, response));
    };
  }

  /** Whether this turn of the event loop may handle one more request. */
  #hasTime(): boolean {
    const nowMs = performance.now();
    if (this.#turnEndsAtMs === null) {
      this.#turnEndsAtMs = nowMs + TURN_MS;
      setImmediate(() => this.#startNextTurn());
    }
    return nowMs < this.#turnEndsAtMs;
  }

  #startNextTurn(): void {
    this.#turnEndsAtMs = null;
    let handled = 0;
    while (handled < this.#waiting.length && this.#hasTime()) this.#waiting[handled++]!();
    this.#waiting.splice(0, handled);
  }

  /** Behind a proxy every connection comes from the proxy's address, which is not limited. */
  #onConnection(socket: Socket): void {
    const state: ConnectionState = { place: null, running: 0, isRejected: false };
    this.#states.set(socket, state);
    if (!this.#limiter.enabled || this.#trustProxy) return;
    const ip = toIpKey(socket.remoteAddress ?? "unknown");
    if (!this.#limiter.hasToken(ADDRESS_LIMITS.requests, ip) || this.#open.get(ip) >= CONNECTION_LIMITS.perIp) {
      socket.destroy();
      return;
    }
    this.#open.add(ip);
    if (this.#receiving.isFullFor(ip)) this.#receiving.evictOldestOf(ip);
    state.place = this.#receiving.acquire(ip, () => socket.destroy());
    socket.once("close", () => {
      state.place?.release();
      this.#open.remove(ip);
    });
  }

  /** Whether a request may be handled; it is answered here where not. */
  #accept(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const state = this.#states.get(socket);
    const ip = toIpKey(getClientAddress(request, this.#trustProxy));
    if (state === undefined || state.isRejected) {
      this.#limiter.charge(ADDRESS_LIMITS.requests, ip);
      return false;
    }
    releaseOnceReceived(request, state.place);
    const error = this.#findError(request, state, ip);
    if (error !== null) {
      state.isRejected = true;
      // Behind unfinished responses the error would wait while the parser goes on reading the flood.
      if (state.running > 0) socket.destroy();
      else rejectRequest(request, response, error);
      return false;
    }
    state.running += 1;
    response.once("close", () => {
      state.running -= 1;
    });
    return true;
  }

  #findError(request: IncomingMessage, { running }: ConnectionState, ip: string): ArcadeError | null {
    const result = this.#limiter.consume(ADDRESS_LIMITS.requests, ip);
    if (!result.allowed) return createLimitError(ADDRESS_LIMITS.requests, result);
    if (this.#limiter.enabled && running >= CONNECTION_LIMITS.pipelined)
      return new ArcadeError(
        "RATE_LIMITED",
        `Expected at most ${CONNECTION_LIMITS.pipelined} requests of a connection at once; wait for their responses.`,
      );
    if (request.headers.host === undefined && request.httpVersion === "1.1")
      return new ArcadeError("BAD_REQUEST", "Expected a Host header (RFC 9110 §7.2); send one.");
    return null;
  }
}

/** Gives the place back when the whole request has arrived. */
function releaseOnceReceived(request: IncomingMessage, place: Place | null): void {
  if (place === null) return;
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if ((length === undefined || length === "0") && encoding === undefined) place.release();
  else request.once("end", () => place.release());
}

/** Answers a request and closes its connection. */
function rejectRequest(request: IncomingMessage, response: ServerResponse, error: ArcadeError): void {
  const { status, headers, body } = createProblem(error, getRequestId(request));
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "Content-Length": Buffer.byteLength(text),
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-store",
    Connection: "close",
  });
  response.end(text);
}
