/**
 * The game server in a separate process on the real clock, with the service's limits and commands over IPC.
 * `DRILL_RATE_LIMITS=off` removes the limits per address; `DRILL_WALLETS=N` opens sessions for N wallets only. Run by
 * `game-process.ts`.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { handleInvalidRequests } from "../../../backend/http/server/client-error.ts";
import { Lateness } from "../../../backend/live/lateness.ts";
import { openLive } from "../../../backend/live/live.ts";
import { createLimiter } from "../../../backend/rate-limits/limiter.ts";
import { GATE_SERVER_OPTIONS, RequestGate } from "../../../backend/rate-limits/request-gate.ts";
import { hashToken } from "../../../backend/services/auth/tokens.ts";
import { attachSockets, isSocketUpgrade } from "../../../backend/ws/attach-sockets.ts";
import { verifyReplay } from "../../../domain/replay/verify.ts";
import type { Game } from "../../../games/game.ts";
import { shellrunners } from "../../../games/shellrunners/game.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { injectFault } from "./game-faults.ts";

export type GameServerCommand =
  | { readonly order: "open" }
  | {
      readonly order: "token";
      readonly kind: "play" | "spectate";
      readonly sessionId: string;
      readonly state: TokenState;
    }
  /** Advances the limits' clock, so that an address can reconnect sooner than its limit per minute allows. */
  | { readonly order: "pass"; readonly seconds: number }
  | { readonly order: "end"; readonly sessionId: string }
  /** How late ticks were since the last such order. */
  | { readonly order: "lateness" }
  | { readonly order: "stats" };

export type TokenState = "valid" | "expired" | "revoked";

export interface LatenessWindow {
  readonly ticks: number;
  readonly p99Ms: number;
}

export interface GameStats {
  readonly rssMb: number;
  readonly heapMb: number;
  readonly lateness: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  readonly connections: number;
  readonly channels: number;
  readonly unauthenticated: number;
  readonly sessions: number;
  /** Running sessions, and ended ones that are not stored yet. */
  readonly scheduled: number;
  readonly storing: number;
  /** JavaScript's own heap after a collection, in bytes. */
  readonly heapBytes: number;
  /** The resources that keep the process alive, by kind. */
  readonly timers: number;
  readonly tcpSockets: number;
  /** Open file descriptors. */
  readonly descriptors: number;
  /** Addresses with open connections, and connections without a complete request or a token. */
  readonly addresses: number;
  readonly waiting: number;
  /** The limiter's buckets. */
  readonly buckets: number;
}

/** A game that never ends, with frames so large that a stopped reader's buffers fill within seconds. */
const game: Game = {
  ...(shellrunners as unknown as Game),
  step: (state, codes) => shellrunners.step(Object.assign(state, { safeBeats: 60, hunger: 0 }) as never, codes),
  frame: (state) => {
    const frame = shellrunners.frame(state as never);
    return process.env.DRILL_LARGE_FRAMES === "1"
      ? { ...frame, extra: { ...frame.extra, padding: "x".repeat(20_000) } }
      : frame;
  },
};

const createWallet = () => `0x${randomBytes(20).toString("hex")}` as const;
/** Wallets that sessions share in turn. If empty, each session has its own. */
const wallets = Array.from({ length: Number(process.env.DRILL_WALLETS ?? 0) }, createWallet);
let opened = 0;

const clock = { ...systemClock };
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const store = await openMemoryStore();
injectFault(process.env.DRILL_FAULT ?? "", { clock, tokens: store.channelTokens });

let recent = new Lateness();
const { record } = Lateness.prototype;
Lateness.prototype.record = function (this: Lateness, lateMs): void {
  record.call(recent, lateMs);
  record.call(this, lateMs);
};

/** Returns the window's lateness and starts the next window. */
function readLateness(): LatenessWindow {
  const { count: ticks } = recent;
  const { p99Ms } = recent.percentiles();
  recent = new Lateness();
  return { ticks, p99Ms };
}

let passedMs = 0;
const limiter = createLimiter(
  { monotonicMs: () => clock.monotonicMs() + passedMs },
  process.env.DRILL_RATE_LIMITS !== "off",
);
const rulesOf = () => game;
const live = openLive({
  store,
  clock,
  worker: { verifyReplay: async (replay) => verifyReplay(replay, rulesOf) },
  getRules: rulesOf,
  settings: { spectatorsMax: 200, chainId: 31337, rewards: `0x${"22".repeat(20)}` },
  log,
});
const gate = new RequestGate({ limiter, clock, trustProxy: 0 });
const server = createServer(
  { shouldUpgradeCallback: isSocketUpgrade, ...GATE_SERVER_OPTIONS },
  gate.wrap((_, response) => response.writeHead(404).end()),
);
gate.attach(server);
handleInvalidRequests(server);
const sockets = attachSockets({
  server,
  gate,
  live: live.registry,
  findSession: (sessionId) => live.find(sessionId),
  isSlug: (slug) => slug === game.slug,
  tokens: store.channelTokens,
  clock,
  originAllowed: () => false,
  getIp: (request) => request.socket.remoteAddress ?? "unknown",
  limiter,
  log,
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
live.start();

async function open(): Promise<{ readonly sessionId: string }> {
  const seed = randomBytes(32);
  const sessionId = randomUUID();
  await store.sessions.add({
    sessionId,
    slug: game.slug,
    source: "agent_api",
    wallet: wallets[opened++ % wallets.length] ?? createWallet(),
    agentId: "1",
    agentName: "drill",
    practiceTokenHash: null,
    seed: `0x${seed.toString("hex")}`,
    seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
    rulesVersion: game.rulesVersion,
    tickHz: 20,
    startedAtMs: clock.nowMs(),
  });
  live.registry.open((await store.sessions.find(sessionId))!, null);
  return { sessionId };
}

async function createToken(
  kind: "play" | "spectate",
  sessionId: string,
  state: TokenState,
): Promise<{ readonly token: string }> {
  const token = `${kind === "play" ? "ap_" : "as_"}${randomBytes(32).toString("base64url")}`;
  const tokenHash = hashToken(token);
  const nowMs = clock.nowMs();
  const expiresAtMs = nowMs + (state === "expired" ? -1 : 60_000);
  const revokedAtMs = state === "revoked" ? nowMs : null;
  const nothing = { wallet: null, familyId: null, ip: null, usedAtMs: null, revokedAtMs };
  await store.channelTokens.add({ ...nothing, tokenHash, kind, sessionId, expiresAtMs });
  if (kind === "spectate") live.registry.reserveSeat({ sessionId, tokenHash, ip: null, expiresAtMs, perIpMax: null });
  return { token };
}

function stats(): GameStats {
  const { connections, channels, pending: unauthenticated } = sockets.stats();
  const { addresses, waiting } = gate.stats();
  const { lateness, sessions, scheduled, storing } = live.stats();
  const active = process.getActiveResourcesInfo();
  const count = (kind: string): number => active.filter((one) => one === kind).length;
  // After the lateness was read, because a collection delays ticks. An ordinary collection keeps weakly held and
  // compiled code, which looks like growth.
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  const { rss, heapUsed, external } = process.memoryUsage();
  const heapMb = (heapUsed + external) / 2 ** 20;
  return {
    rssMb: rss / 2 ** 20,
    heapMb,
    heapBytes: heapUsed,
    lateness,
    connections,
    channels,
    unauthenticated,
    sessions,
    scheduled,
    storing,
    timers: count("Timeout"),
    tcpSockets: count("TCPSocketWrap"),
    addresses,
    waiting,
    buckets: limiter.bucketCount,
    descriptors: readdirSync("/proc/self/fd").length,
  };
}

process.on("message", async (command: GameServerCommand) => {
  if (command.order === "open") process.send!(await open());
  else if (command.order === "token") process.send!(await createToken(command.kind, command.sessionId, command.state));
  else if (command.order === "pass") {
    passedMs += command.seconds * 1000;
    process.send!({ passed: true });
  } else if (command.order === "end") {
    await live.registry.end(command.sessionId, "ended_by_player");
    process.send!({ ended: true });
  } else process.send!(command.order === "lateness" ? readLateness() : stats());
});
process.on("disconnect", () => process.exit(0));
process.send!({ port: (server.address() as AddressInfo).port });
