/**
 * The table of limits: how much work an address, a wallet, a socket or a session can cause. `docs/limits.md`, the
 * OpenAPI document and the limits' headers are derived from it.
 */
import type { SessionSource } from "../session.ts";

/** A token bucket: `limit` at once, refilled evenly over the window. */
export interface LimitPolicy {
  /** The bucket's name: routes with the same name share it. */
  readonly name: string;
  /** Whose bucket it is: one for each address, network (IPv4 /24, IPv6 /48) or wallet, or one for all callers together. */
  readonly by: "ip" | "network" | "wallet" | "all";
  readonly limit: number;
  readonly windowSeconds: number;
  /** Only starts of sessions with this source use the bucket. */
  readonly source?: SessionSource;
  /**
   * One bucket for all backends of a fleet: sign-in, and what is signed, relayed or paid. Other buckets belong to one
   * backend.
   */
  readonly isShared?: true;
}

const perIp = (name: string, limit: number, windowSeconds = 60): LimitPolicy => ({
  name,
  by: "ip",
  limit,
  windowSeconds,
});
const perWallet = (name: string, limit: number, windowSeconds = 60): LimitPolicy => ({
  name,
  by: "wallet",
  limit,
  windowSeconds,
});

const shared = (policy: LimitPolicy): LimitPolicy => ({ ...policy, isShared: true });

const forAll = (name: string, limit: number): LimitPolicy => shared({ name, by: "all", limit, windowSeconds: 1 });

/**
 * Every signature uses one of these buckets, once the caller's identity is known: callers who register have none, and
 * cannot use up the players' share.
 */
const SIGNATURES = forAll("signatures", 50);
const REGISTER_SIGNATURES = forAll("register-signatures", 20);

/** The buckets of the HTTP routes, by route. Each bucket of a row must have a token. */
export const LIMITS = {
  signIn: [shared(perIp("sign-in-ip", 20)), shared(perWallet("sign-in-wallet", 10))],
  refresh: [shared(perIp("refresh", 10))],
  start: [perWallet("start-wallet", 10), { ...perIp("practice-ip", 10), source: "browser_ws" }],
  tokens: [perWallet("tokens-wallet", 20), perIp("tokens-ip", 30)],
  heartbeat: [perIp("heartbeat-ip", 300)],
  /** Ticks of a practice that waits for its player: 20 a second. */
  step: [perIp("step-ip", 1200)],
  snapshot: [shared(perWallet("snapshot", 10)), SIGNATURES],
  payout: [shared(perWallet("payout", 10))],
  prepare: [shared(perWallet("prepare", 10))],
  signedPrepare: [shared(perWallet("prepare", 10)), SIGNATURES],
  register: [
    shared(perIp("register-ip", 20)),
    shared({ name: "register-network", by: "network", limit: 120, windowSeconds: 60 }),
    shared(perWallet("register-wallet", 10)),
    REGISTER_SIGNATURES,
  ],
  vote: [shared(perWallet("vote-wallet", 5)), shared(perIp("vote-ip", 20))],
  policy: [shared(perWallet("policy-wallet", 10)), perIp("policy-ip", 20)],
  thinking: [perWallet("thinking-wallet", 300)],
  market: [perWallet("market", 30)],
  newsletter: [perIp("newsletter", 3, 3600)],
  events: [perIp("events", 120)],
  publicRead: [perIp("read", 300)],
  /** Separate: behind a proxy that is not trusted, or NAT, checks come from the address of all clients. */
  checks: [perIp("checks", 1200)],
  walletRead: [perWallet("wallet-read", 300)],
  faucet: [perIp("faucet", 60)],
} as const satisfies Record<string, readonly LimitPolicy[]>;

/** The buckets of an address that apply to every route. They are charged before any lookup. */
export const ADDRESS_LIMITS = {
  /** Requests of every kind; above the limit the connection is closed. */
  requests: perIp("requests", 300, 5),
  /** Requests and sockets with an invalid token. */
  failedTokens: perIp("failed-tokens", 20),
  upgrades: perIp("upgrades", 60),
  /** WebSocket frames of every kind, and their bytes, of all sockets of an address. */
  frames: perIp("frames", 5000, 10),
  bytes: perIp("bytes", 640 * 1024, 10),
} as const satisfies Record<string, LimitPolicy>;

/**
 * TCP connections of the HTTP server, WebSockets included; behind a proxy requests and WebSockets, by their client's
 * address. At a limit the least useful one is closed for a new one (`domain/limits/places.ts`).
 */
export const CONNECTION_LIMITS = {
  inAll: 5000,
  perIp: 100,
  /** Connections of one address without a whole request or token yet. */
  waitingPerIp: 20,
  /** How long a client may read nothing of a response. */
  stalledSeconds: 20,
  /** Requests of one connection that were sent before their predecessor's response (pipelining). */
  pipelined: 8,
  headersSeconds: 10,
  requestSeconds: 20,
  /** How often the three times are checked. */
  checkMs: 1000,
} as const;

/** Concurrent chain requests for callers without an identity: in all, and of one address. */
export const NODE_LIMITS = { guestsInAll: 32, guestsPerIp: 8 } as const;

/** Policies and thinkers of the league. */
export const LEAGUE_LIMITS = {
  policiesPerSeason: 200,
  thinkersPerSeason: 200,
  /** Processes that check a submitted text, and requests that wait for one. */
  checksAtOnce: 2,
  checksWaiting: 20,
  /** A text of 65,536 bytes fits, however its characters are escaped. */
  bodyBytes: 400 * 1024,
} as const;

/** The play and spectate channels. */
export const CHANNEL_LIMITS = {
  /** From the opened socket to its `auth`. */
  authSeconds: 5,
  authBytes: 512,
  messageBytes: { play: 1024, spectate: 512 },
  /** Messages a second, per tick a second. Above it they are dropped; after `rateWarnSeconds` the socket is closed. */
  messagesPerTick: 2,
  rateWarnSeconds: 2,
  rateCloseSeconds: 5,
  /** Within one second, messages beyond this multiple of the rate are dropped at once. */
  burstFactor: 10,
  /** Frames of every kind a second beyond `messagesPerTick`, and bytes a second; over a burst the socket is closed. */
  framesBeyondMessages: 10,
  bytesPerSecond: { play: 8 * 1024, spectate: 2 * 1024 },
  /** How many seconds' frames and bytes a socket may send at once. */
  burstSeconds: 10,
  badMessages: 10,
  badMessageWindowSeconds: 10,
  /** Ticks of a spectator are sent together, this often: a write costs far more than its bytes. */
  spectatorWritesPerSecond: 10,
  pingSeconds: 10,
  missedPongs: 2,
  /** A socket with more than this queued skips frames. */
  queuedBytes: 64 * 1024,
  /** Skipped in a row before the socket is closed. */
  skippedFrames: 300,
  /** Events are never skipped: a socket with more than this queued is closed instead. */
  queuedEventBytes: 256 * 1024,
} as const;

/** Running sessions and their seats. */
export const SESSION_LIMITS = {
  perIp: 5,
  /** Practice sessions among them. A practice without a connected player ends for a new one. */
  practicePerIp: 2,
  /** Spectator seats of one address in a session, for callers without an agent identity. */
  seatsPerIp: 3,
} as const;
