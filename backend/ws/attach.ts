import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { ArcadeError } from "../domain/errors.ts";
import { CHANNEL_LIMITS, type ChannelRole } from "../domain/protocol-rules.ts";
import { normalizeSlug } from "../domain/slugs.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ChannelTokenStore } from "../ports/store.ts";
import type { SessionRow } from "../ports/store-sessions.ts";
import type { LiveRegistry } from "../services/live/registry.ts";
import type { LiveSession } from "../services/live/session.ts";
import { Channel, type Encoding } from "./channel.ts";
import type { Connection } from "./connection.ts";
import { refuseUpgrade } from "./refuse.ts";
import { Strangers } from "./strangers.ts";
import { welcome } from "./visitor.ts";
import { ReasonedWebSocket } from "./wire.ts";

export interface SocketOptions {
  readonly server: Server;
  readonly live: Pick<LiveRegistry, "get">;
  /** A session by its id, running or only stored. */
  readonly findSession: (sessionId: string) => Promise<SessionRow | null>;
  readonly isSlug: (slug: string) => boolean;
  readonly tokens: ChannelTokenStore;
  readonly clock: Clock;
  readonly originAllowed: (origin: string) => boolean;
  /** Whom an upgrade comes from: the peer's address when left out. */
  readonly ipOf?: (request: IncomingMessage) => string;
  /** Whether the sockets of one address are limited; not when left out. */
  readonly limitPerIp?: boolean;
  readonly log: Log;
}

export interface Sockets {
  /** Refuses new sockets, closes the open ones with `SERVER_RESTART` and resolves when they are gone. */
  drain(): Promise<void>;
  /** `strangers`: sockets that have not shown a valid token yet. */
  stats(): { readonly connections: number; readonly channels: number; readonly strangers: number };
}

/** A share of all sockets is pinged this often. */
const PING_EVERY_MS = 100;

const PATH = /^\/ws\/([^/]+)\/(play|spectate)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * For `createServer({ shouldUpgradeCallback })`: only WebSocket upgrades leave the HTTP routes. Clients that offer
 * HTTP/2 (`Upgrade: h2c`) with an ordinary request are answered in HTTP/1.1 (RFC 9110 §7.8).
 */
export const isSocketUpgrade = (request: IncomingMessage): boolean =>
  request.headers.upgrade?.toLowerCase() === "websocket";

/** Opens the play and spectate channels on an HTTP server. */
export function attachSockets(options: SocketOptions): Sockets {
  const { server, live, clock, log } = options;
  const servers = { play: createServer("play"), spectate: createServer("spectate") };
  const channels = new Map<LiveSession, Channel>();
  // Pings, and the pongs they fetch, are spread over their period: thousands in one go would hold up ticks.
  const buckets = Array.from(
    { length: (CHANNEL_LIMITS.pingSeconds * 1000) / PING_EVERY_MS },
    () => new Set<Connection>(),
  );
  const strangers = new Strangers(CHANNEL_LIMITS.strangers, options.limitPerIp ? CHANNEL_LIMITS.strangersPerIp : null);
  let turn = 0;
  let draining = false;
  let open = 0;
  let whenEmpty: (() => void) | null = null;

  function channelOf(session: LiveSession): Channel {
    let channel = channels.get(session);
    if (!channel) {
      channel = new Channel(session, () => channels.delete(session));
      channels.set(session, channel);
    }
    return channel;
  }

  function pingBucket(): void {
    turn += 1;
    for (const connection of buckets[turn % buckets.length]!) connection.ping();
    cancelPing = clock.after(PING_EVERY_MS, pingBucket);
  }
  let cancelPing = clock.after(PING_EVERY_MS, pingBucket);

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const known = strangers.enter((options.ipOf ?? peerOf)(request));
    if (known === null)
      throw new ArcadeError("RATE_LIMITED", "Too many sockets wait for their token: come back later.");
    socket.once("close", known);
    const { role, sessionId, encoding } = await admit(request, { ...options, draining: () => draining });
    servers[role].handleUpgrade(request, socket, head, (ws) => {
      const bucket = buckets.reduce((least, other) => (other.size < least.size ? other : least));
      const connection = welcome({
        ...options,
        ws,
        socket,
        role,
        encoding,
        sessionId,
        session: () => live.get(sessionId),
        channelOf,
        onKnown: known,
        onGone: (gone) => {
          known();
          bucket.delete(gone);
        },
      });
      bucket.add(connection);
      open += 1;
      ws.on("close", () => {
        open -= 1;
        if (open === 0) whenEmpty?.();
      });
    });
  }

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    upgrade(request, socket, head).catch((cause) => {
      const isTold = cause instanceof ArcadeError;
      if (!isTold) log.error({ err: cause }, "An upgrade failed.");
      refuseUpgrade(request, socket, isTold ? cause : new ArcadeError("INTERNAL", "The socket could not be opened."));
    });
  };
  server.on("upgrade", onUpgrade);

  return {
    drain: async () => {
      draining = true;
      cancelPing();
      const empty = new Promise<void>((resolve) => {
        whenEmpty = resolve;
      });
      if (open === 0) return;
      for (const bucket of buckets) for (const connection of bucket) connection.close("SERVER_RESTART");
      await empty;
    },
    stats: () => ({ connections: open, channels: channels.size, strangers: strangers.count }),
  };
}

const peerOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? "unknown";

function createServer(role: ChannelRole): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: CHANNEL_LIMITS.messageBytes[role],
    WebSocket: ReasonedWebSocket,
  });
}

/** Which channel an upgrade asks for. Throws the error it is refused with. */
async function admit(
  request: IncomingMessage,
  options: Pick<SocketOptions, "live" | "findSession" | "isSlug" | "originAllowed"> & {
    readonly draining: () => boolean;
  },
): Promise<{ readonly role: ChannelRole; readonly sessionId: string; readonly encoding: Encoding }> {
  if (options.draining()) throw new ArcadeError("SHUTTING_DOWN", "The server is stopping: come back in a second.");
  const url = URL.parse(request.url ?? "/", "http://localhost");
  const [, slugText, role] = PATH.exec(url?.pathname ?? "") ?? [];
  if (!url || !slugText || !role) {
    throw new ArcadeError("NOT_FOUND", "Expected /ws/{slug}/play or /ws/{slug}/spectate with a sessionId.");
  }
  const slug = normalizeSlug(slugText);
  if (!options.isSlug(slug)) throw new ArcadeError("GAME_NOT_FOUND", "Expected the slug of a game in the catalog.");
  const { origin } = request.headers;
  if (origin !== undefined && !options.originAllowed(origin)) {
    throw new ArcadeError("ORIGIN_DENIED", "Sockets are opened from the service's own pages or without an Origin.");
  }
  const enc = url.searchParams.get("enc");
  if (enc !== null && !(enc === "compact" && role === "spectate")) {
    throw new ArcadeError("VALIDATION_FAILED", "Expected enc=compact on the spectate channel, or no enc at all.");
  }
  const sessionId = (url.searchParams.get("sessionId") ?? "").toLowerCase();
  const row = UUID.test(sessionId)
    ? (options.live.get(sessionId)?.row ?? (await options.findSession(sessionId)))
    : null;
  if (row === null || row.slug !== slug) {
    throw new ArcadeError("SESSION_NOT_FOUND", "Expected the sessionId of a session of this game.");
  }
  if (options.draining()) throw new ArcadeError("SHUTTING_DOWN", "The server is stopping: come back in a second.");
  return { role: role as ChannelRole, sessionId, encoding: enc === null ? "json" : "compact" };
}
