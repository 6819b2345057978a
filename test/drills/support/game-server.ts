/** The game server in a process of its own, on the real clock, told over IPC what to do. Run by `game-process.ts`. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../../backend/adapters/clock.ts";
import { openStore } from "../../../backend/adapters/store/index.ts";
import { verifyReplay } from "../../../backend/domain/verify-replay.ts";
import type { Game } from "../../../backend/games/game.ts";
import { shellrunners } from "../../../backend/games/shellrunners/game.ts";
import { openLive } from "../../../backend/runtime/open-live.ts";
import { LiveSession } from "../../../backend/services/live/session.ts";
import { attachSockets, isSocketUpgrade } from "../../../backend/ws/attach.ts";
import { hashChannelToken } from "../../../backend/ws/authenticate.ts";
import { Channel } from "../../../backend/ws/channel.ts";
import { Connection, type TickBuffers } from "../../../backend/ws/connection.ts";

export type GameOrder =
  | { readonly order: "open" }
  | { readonly order: "token"; readonly kind: "play" | "spectate"; readonly sessionId: string }
  | { readonly order: "end"; readonly sessionId: string }
  | { readonly order: "stats" };

export interface GameStats {
  readonly rssMb: number;
  readonly heapMb: number;
  readonly lateness: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  readonly connections: number;
  readonly channels: number;
  readonly strangers: number;
  readonly sessions: number;
  /** Sessions that are ticked, and ended ones that are not stored yet. */
  readonly scheduled: number;
  readonly storing: number;
  /** JavaScript's own heap after a collection, in bytes. */
  readonly heapBytes: number;
  /** What keeps the process awake, by kind. */
  readonly timers: number;
  readonly tcpSockets: number;
}

/** Nothing ends it, and its frames are large enough that a stopped reader's buffers fill within seconds. */
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

/** Faults that a drill has to find; each takes one safeguard away. */
const PLANTS: { readonly [name: string]: () => void } = {
  /** Keeps every tick of every socket, whether it is read or not. */
  queue: () => {
    const kept: Buffer[] = [];
    const { sendTick } = Connection.prototype;
    Connection.prototype.sendTick = function (this: Connection, tick: TickBuffers): void {
      kept.push(Buffer.from(tick.whole));
      sendTick.call(this, tick);
    };
  },
  /** Leaves the displaced socket open. */
  displace: () => {
    Channel.prototype.setPlayer = function (this: Channel, connection: Connection): void {
      this.addSpectator(connection, "json");
    };
  },
  /** Keeps each session that has ended. */
  forget: () => {
    const kept: LiveSession[] = [];
    const { finish } = LiveSession.prototype;
    LiveSession.prototype.finish = function (this: LiveSession, row): void {
      kept.push(this);
      finish.call(this, row);
    };
  },
  /** Never takes back the timers of a socket, for its authentication and its cut, and lets them run for long. */
  timers: () => {
    const { after } = clock;
    clock.after = (delayMs, run) => {
      if (delayMs < 2000) return after(delayMs, run);
      after(delayMs * 100, run);
      return () => {};
    };
  },
  /** Parses what comes before it is checked. */
  parse: () => {
    const { parse } = JSON;
    JSON.parse = (text: string, ...rest: []) => {
      try {
        return parse(text, ...rest);
      } catch (fault) {
        setImmediate(() => {
          throw fault;
        });
        throw fault;
      }
    };
  },
};

const clock = { ...systemClock };
PLANTS[process.env.DRILL_PLANT ?? ""]?.();

const log = { debug() {}, info() {}, warn() {}, error: console.error };
const store = await openStore({ databaseUrl: "sqlite::memory:" });
const rulesOf = () => game;
const live = openLive({
  store,
  clock,
  worker: { verifyReplay: async (replay) => verifyReplay(replay, rulesOf) },
  rulesOf,
  settings: { spectatorsMax: 200, chainId: 31337, rewards: `0x${"22".repeat(20)}` },
  log,
});
const server = createServer({ shouldUpgradeCallback: isSocketUpgrade }, (_, response) => response.writeHead(404).end());
server.headersTimeout = 5000;
server.on("clientError", (_, socket) => socket.destroy());
const sockets = attachSockets({
  server,
  live: live.live,
  findSession: live.find,
  isSlug: (slug) => slug === game.slug,
  tokens: store.channelTokens,
  clock,
  originAllowed: () => false,
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
    wallet: `0x${randomBytes(20).toString("hex")}`,
    agentId: "1",
    agentName: "drill",
    practiceTokenHash: null,
    seed: `0x${seed.toString("hex")}`,
    seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
    rulesVersion: game.rulesVersion,
    tickHz: 20,
    startedAtMs: clock.nowMs(),
  });
  live.live.open((await store.sessions.find(sessionId))!);
  return { sessionId };
}

async function makeToken(kind: "play" | "spectate", sessionId: string): Promise<{ readonly token: string }> {
  const token = `${kind === "play" ? "ap_" : "as_"}${randomBytes(32).toString("base64url")}`;
  const tokenHash = hashChannelToken(token);
  const expiresAtMs = clock.nowMs() + 60_000;
  const nothing = { wallet: null, ip: null, usedAtMs: null, revokedAtMs: null } as const;
  await store.channelTokens.add({ ...nothing, tokenHash, kind, sessionId, expiresAtMs });
  if (kind === "spectate") live.live.reserveSeat({ sessionId, tokenHash, ip: null, expiresAtMs, perIpMax: null });
  return { token };
}

function stats(): GameStats {
  const { connections, channels, strangers } = sockets.stats();
  const { lateness, sessions, scheduled, storing } = live.stats();
  const active = process.getActiveResourcesInfo();
  const count = (kind: string): number => active.filter((one) => one === kind).length;
  // After the lateness was read: a collection is a pause of its own.
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const heapMb = (heapUsed + external) / 2 ** 20;
  return {
    ...{ rssMb: rss / 2 ** 20, heapMb, heapBytes: heapUsed, lateness, connections, channels, strangers },
    ...{ sessions, scheduled, storing, timers: count("Timeout"), tcpSockets: count("TCPSocketWrap") },
  };
}

process.on("message", async (order: GameOrder) => {
  if (order.order === "open") process.send!(await open());
  else if (order.order === "token") process.send!(await makeToken(order.kind, order.sessionId));
  else if (order.order === "end") {
    await live.live.end(order.sessionId, "ended_by_player");
    process.send!({ ended: true });
  } else process.send!(stats());
});
process.on("disconnect", () => process.exit(0));
process.send!({ port: (server.address() as AddressInfo).port });
