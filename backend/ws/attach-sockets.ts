import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { ArcadeError } from "../../domain/errors.ts";
import { createLimitError } from "../../domain/limits/limit-error.ts";
import { ADDRESS_LIMITS, CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import type { Place } from "../../domain/limits/places.ts";
import type { ChannelRole } from "../../domain/protocol/rules.ts";
import type { LivePlane } from "../ports/live-channels.ts";
import type { ChannelTokenStore } from "../ports/store/auth.ts";
import type { Clock, Log, RateLimiter } from "../ports/system.ts";
import { findHostError } from "../rate-limits/host-header.ts";
import type { RequestGate } from "../rate-limits/request-gate.ts";
import { acceptConnection } from "./accept-connection.ts";
import { Channel } from "./channel.ts";
import type { Connection } from "./connection.ts";
import { PingSchedule } from "./ping-schedule.ts";
import { rejectUpgrade } from "./reject-upgrade.ts";
import { ServerWebSocket } from "./server-web-socket.ts";
import { resolveUpgrade, type UpgradeRules, type UpgradeTarget } from "./upgrade-request.ts";

export interface SocketOptions extends UpgradeRules {
  readonly live: Pick<LivePlane, "subscribe" | "join" | "waitUntilRecovered">;
  readonly server: Server;
  /** The gate of the same server. */
  readonly gate: Pick<RequestGate, "admitUpgrade">;
  readonly tokens: ChannelTokenStore;
  readonly clock: Clock;
  /** The key of the address of an upgrade's client. */
  readonly getIp: (request: IncomingMessage) => string;
  /** While it is off, addresses are not limited. */
  readonly limiter: RateLimiter;
  readonly log: Log;
}

/**
 * For `createServer({ shouldUpgradeCallback })`: only WebSocket upgrades bypass the HTTP routes. Clients that offer
 * HTTP/2 (`Upgrade: h2c`) with an ordinary request get an HTTP/1.1 response (RFC 9110, section 7.8).
 */
export const isSocketUpgrade = (request: IncomingMessage): boolean =>
  request.headers.upgrade?.toLowerCase() === "websocket";

/** Opens the play and spectate channels on an HTTP server; `drain` closes them. */
export function attachSockets(options: SocketOptions): Sockets {
  const sockets = new Sockets(options);
  options.server.on("upgrade", (request, socket, head) => sockets.onUpgrade(request, socket, head));
  return sockets;
}

export class Sockets {
  readonly #options: SocketOptions;
  readonly #servers = { play: createServer("play"), spectate: createServer("spectate") };
  readonly #channels = new Map<string, Channel>();
  readonly #pings: PingSchedule;
  #draining = false;
  readonly #connections = new Set<Connection>();
  /** The places of sockets whose token is not accepted yet. */
  readonly #pending = new Set<Place>();
  #resolveEmpty: (() => void) | null = null;

  constructor(options: SocketOptions) {
    this.#options = options;
    this.#pings = new PingSchedule(options.clock);
  }

  /** `pending`: sockets that have not authenticated yet. */
  stats(): { readonly connections: number; readonly channels: number; readonly pending: number } {
    return { connections: this.#connections.size, channels: this.#channels.size, pending: this.#pending.size };
  }

  /** Rejects new sockets, closes the open ones with `SERVER_RESTART`, and resolves when all are closed. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#pings.stop();
    const empty = new Promise<void>((resolve) => {
      this.#resolveEmpty = resolve;
    });
    if (this.#connections.size === 0) return;
    for (const connection of this.#connections) connection.close("SERVER_RESTART");
    await empty;
  }

  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgrade(request, socket, head).catch((cause) => {
      const isExpected = cause instanceof ArcadeError;
      if (!isExpected) this.#options.log.error({ err: cause }, "an upgrade failed");
      const error = isExpected ? cause : new ArcadeError("INTERNAL", "The socket could not be opened.");
      rejectUpgrade(request, socket, error);
    });
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const { limiter, gate, getIp } = this.#options;
    const ip = getIp(request);
    // Before any lookup.
    const result = limiter.consume(ADDRESS_LIMITS.upgrades, ip);
    if (!result.allowed) throw createLimitError(ADDRESS_LIMITS.upgrades, result);
    const place = gate.admitUpgrade(socket, ip);
    if (place === null) throw new ArcadeError("RATE_LIMITED", "Players hold all places of this address.");
    this.#pending.add(place);
    socket.once("close", () => this.#pending.delete(place));
    const hostError = findHostError(request);
    if (hostError !== null) throw hostError;
    this.#assertNotDraining();
    const target = await resolveUpgrade(request, this.#options);
    this.#assertNotDraining();
    this.#servers[target.role].handleUpgrade(request, socket, head, (ws) =>
      this.#accept(ws, socket, { ...target, ip }, place),
    );
  }

  #accept(ws: WebSocket, socket: Duplex, target: UpgradeTarget & { readonly ip: string }, place: Place): void {
    const { clock, tokens, log, live, limiter } = this.#options;
    let removePings: () => void = () => undefined;
    const connection = acceptConnection({
      ...target,
      ws,
      socket,
      clock,
      tokens,
      log,
      limiter,
      live,
      getChannel: () => this.#getChannel(target.sessionId),
      onAuthenticated: () => {
        this.#pending.delete(place);
        place.setWorth(target.isOfPlayer ? "player" : "busy");
      },
      onJoined: () => {
        // Not earlier: until then the receive budget has no room for a pong.
        removePings = this.#pings.add(connection);
      },
      onClose: () => {
        this.#pending.delete(place);
        removePings();
      },
    });
    place.evict = () =>
      connection.closeWithoutReading(
        "RATE_LIMITED",
        "All places are taken, and a newer connection has taken this one.",
      );
    this.#connections.add(connection);
    ws.on("close", () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#resolveEmpty?.();
    });
  }

  #getChannel(sessionId: string): Channel {
    let channel = this.#channels.get(sessionId);
    if (!channel) {
      channel = new Channel(sessionId, this.#options.live, () => this.#channels.delete(sessionId));
      this.#channels.set(sessionId, channel);
    }
    return channel;
  }

  #assertNotDraining(): void {
    if (this.#draining) throw new ArcadeError("SHUTTING_DOWN", "The server is stopping; connect again in a second.");
  }
}

function createServer(role: ChannelRole): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: CHANNEL_LIMITS.messageBytes[role],
    WebSocket: ServerWebSocket,
  });
}
