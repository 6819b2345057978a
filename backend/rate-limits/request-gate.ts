/** Limits of the HTTP server before a request is handled. */
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ArcadeError } from "../../domain/errors.ts";
import { toIpKey } from "../../domain/limits/address-keys.ts";
import { createLimitError } from "../../domain/limits/limit-error.ts";
import { ADDRESS_LIMITS, CONNECTION_LIMITS } from "../../domain/limits/limits.ts";
import { type Place, Places } from "../../domain/limits/places.ts";
import { createProblem } from "../../domain/problem.ts";
import type { Clock, RateLimiter } from "../ports/system.ts";
import { getClientAddress, isProxy, type TrustProxy } from "../requests/client-address.ts";
import { getRequestId } from "../requests/request-id.ts";
import { findHostError } from "./host-header.ts";

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

/** The gate's state of a connection. */
interface ConnectionState {
  /** Of the connection; behind a proxy of the request that is handled, or of the WebSocket. */
  place: Place | null;
  /** Requests whose response is not finished. */
  running: number;
  /** Nothing that still arrives is handled. */
  isRejected: boolean;
  /** Bytes read when the client stopped reading; null if nothing is pending. */
  stalled: { readonly takenBytes: number; readonly sinceMs: number } | null;
}

export interface RequestGateOptions {
  readonly limiter: RateLimiter;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly trustProxy: TrustProxy;
  /** Places in all; those of `CONNECTION_LIMITS` when left out. */
  readonly inAll?: number;
}

/**
 * Owns the connections of the HTTP server from their arrival to their end. Each holds a place (`Places`); behind a
 * proxy, whose connections carry requests of many clients, each request does. A connection whose client has taken
 * nothing of what was sent for `CONNECTION_LIMITS.stalledSeconds` is closed, as is one that exceeds the limits of
 * requests, with a `RATE_LIMITED` unless responses are pending. The rest of a flood counts as a debt of its address,
 * which must be paid off before its next connection is accepted.
 */
export class RequestGate {
  readonly #limiter: RateLimiter;
  readonly #clock: RequestGateOptions["clock"];
  readonly #trustProxy: TrustProxy;
  readonly #places: Places;
  /** Accepted requests in the order of their arrival. */
  readonly #waiting: (() => void)[] = [];
  /** When requests of this turn of the event loop have to wait for the next one; null before its first request. */
  #turnEndsAtMs: number | null = null;
  readonly #states = new Map<Duplex, ConnectionState>();
  #cancelCheck: (() => void) | null = null;

  constructor({ limiter, clock, trustProxy, inAll = CONNECTION_LIMITS.inAll }: RequestGateOptions) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#trustProxy = trustProxy;
    const { perIp, waitingPerIp } = CONNECTION_LIMITS;
    const perAddress = limiter.enabled ? { perIp, waitingPerIp } : { perIp: null };
    this.#places = new Places({ inAll, ...perAddress });
  }

  /** `addresses`: those that hold places; `waiting`: places whose request or token has not arrived. */
  stats(): { readonly addresses: number; readonly waiting: number; readonly places: number } {
    const { count } = this.#places;
    return { addresses: this.#places.countAddresses(), waiting: this.#places.countWaiting(), places: count };
  }

  attach(server: Server): void {
    // Evicted connections may take a moment to close. Those of a proxy hold no places, and are the proxy's to bound.
    if (this.#trustProxy === 0) server.maxConnections = 2 * CONNECTION_LIMITS.inAll;
    server.on("connection", (socket) => this.#onConnection(socket));
    server.on("upgrade", (request) => {
      this.#limiter.charge(ADDRESS_LIMITS.requests, toIpKey(getClientAddress(request, this.#trustProxy)));
    });
  }

  /** The place of a socket that waits for its token, until it is closed; null if its address has reached its limit. */
  admitUpgrade(socket: Duplex, ip: string): Place | null {
    const state = this.#states.get(socket);
    if (state === undefined) return null;
    state.place ??= this.#places.acquire(ip, "waiting", () => socket.destroy());
    state.place?.setWorth("waiting");
    return state.place;
  }

  /** The caller of a request is a player: its connection never gives way to a guest. */
  admitPlayer({ socket }: Pick<IncomingMessage, "socket">): void {
    // safeguard: keep-players
    this.#states.get(socket)?.place?.setWorth("player");
  }

  /**
   * The listener of the server's requests. A turn of the event loop handles requests for a bounded time, so that ticks
   * that are due run between requests that arrive at once.
   */
  wrap(handler: RequestListener): RequestListener {
    return (request, response) => {
      if (!this.#accept(request, response)) return;
      if (this.#waiting.length === 0 && this.#hasTime()) handler(request, response);
      // The client may be gone when it is this request's turn.
      else
        this.#waiting.push(() => {
          if (!request.socket.destroyed) handler(request, response);
        });
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

  #onConnection(socket: Socket): void {
    const state: ConnectionState = { place: null, running: 0, isRejected: false, stalled: null };
    // Behind a proxy every connection comes from its address.
    if (!isProxy(socket.remoteAddress, this.#trustProxy)) {
      const ip = toIpKey(socket.remoteAddress ?? "unknown");
      if (this.#limiter.hasToken(ADDRESS_LIMITS.requests, ip))
        state.place = this.#places.acquire(ip, "waiting", () => socket.destroy());
      if (state.place === null) {
        socket.destroy();
        return;
      }
    }
    this.#states.set(socket, state);
    socket.once("close", () => {
      this.#states.delete(socket);
      state.place?.release();
      if (this.#states.size === 0) this.#cancelCheck?.();
    });
    if (this.#states.size === 1) this.#checkLater();
  }

  #checkLater(): void {
    this.#cancelCheck = this.#clock.after(CONNECTION_LIMITS.checkMs, () => {
      const nowMs = this.#clock.monotonicMs();
      for (const [socket, state] of this.#states) closeIfStalled(socket, state, nowMs);
      this.#checkLater();
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
    const error = this.#findError(request, state, ip) ?? this.#takePlace(request, state, ip);
    if (error !== null) {
      state.isRejected = true;
      // Behind unfinished responses the error would wait while the parser reads the flood.
      if (state.running > 0) socket.destroy();
      else rejectRequest(request, response, error);
      return false;
    }
    this.#hold(request, response, state);
    return true;
  }

  #takePlace(request: IncomingMessage, state: ConnectionState, ip: string): ArcadeError | null {
    const { socket } = request;
    const worth = isWithoutBody(request) ? "busy" : "waiting";
    state.place ??= this.#places.acquire(ip, worth, () => socket.destroy());
    if (state.place !== null) return null;
    return new ArcadeError("RATE_LIMITED", `Players hold all ${CONNECTION_LIMITS.perIp} places of this address.`);
  }

  /** The place is worth more from the whole request to the end of the response. */
  #hold(request: IncomingMessage, response: ServerResponse, state: ConnectionState): void {
    const { place } = state;
    state.running += 1;
    if (isWithoutBody(request)) place?.setWorth("busy");
    else {
      if (state.running === 1) place?.setWorth("waiting");
      request.once("end", () => {
        if (state.running > 0) place?.setWorth("busy");
      });
    }
    response.once("close", () => {
      state.running -= 1;
      if (state.running > 0) return;
      if (!this.#trustProxy) return place?.setWorth("idle");
      place?.release();
      state.place = null;
    });
  }

  #findError(request: IncomingMessage, { running }: ConnectionState, ip: string): ArcadeError | null {
    const result = this.#limiter.consume(ADDRESS_LIMITS.requests, ip);
    if (!result.allowed) return createLimitError(ADDRESS_LIMITS.requests, result);
    if (this.#limiter.enabled && running >= CONNECTION_LIMITS.pipelined)
      return new ArcadeError(
        "RATE_LIMITED",
        `Expected at most ${CONNECTION_LIMITS.pipelined} requests of a connection at once; wait for their responses.`,
      );
    return findHostError(request);
  }
}

function isWithoutBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  return (length === undefined || length === "0") && encoding === undefined;
}

/** What the operating system has taken of what was written; Node has no public figure for a write in progress. */
function getTakenBytes(socket: Duplex): number {
  const { _handle: handle } = socket as { readonly _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

function closeIfStalled(socket: Duplex, state: ConnectionState, nowMs: number): void {
  if (socket.writableLength === 0) {
    state.stalled = null;
    return;
  }
  const takenBytes = getTakenBytes(socket);
  if (takenBytes !== state.stalled?.takenBytes) state.stalled = { takenBytes, sinceMs: nowMs };
  // safeguard: close-stalled
  if (nowMs - state.stalled.sinceMs >= CONNECTION_LIMITS.stalledSeconds * 1000) socket.destroy();
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
