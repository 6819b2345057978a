import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Live, openLive } from "../../backend/live/live.ts";
import type { LiveRegistry } from "../../backend/live/registry.ts";
import type { LivePlane } from "../../backend/ports/live-channels.ts";
import type { NewSession, SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import type { Clock, Log, Worker } from "../../backend/ports/system.ts";
import { createLimiter } from "../../backend/rate-limits/limiter.ts";
import { RequestGate } from "../../backend/rate-limits/request-gate.ts";
import { hashToken } from "../../backend/services/auth/tokens.ts";
import { attachSockets, isSocketUpgrade, type Sockets } from "../../backend/ws/attach-sockets.ts";
import { CONNECTION_LIMITS } from "../../domain/limits/limits.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import { findGame, getRules } from "../../games/index.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { TestSocket } from "./test-socket.ts";

export const SETTINGS = { spectatorsMax: 5, chainId: 31337, rewards: `0x${"22".repeat(20)}` } as const;

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Verifies in the test's thread. */
const inlineWorker: Pick<Worker, "verifyReplay"> = {
  verifyReplay: async (replay) => verifyReplay(replay, getRules),
};

interface LiveTestServerOptions {
  readonly store?: Store;
  readonly clock?: TestClock;
  readonly worker?: Pick<Worker, "verifyReplay">;
  readonly spectatorsMax?: number;
  readonly log?: Log;
  readonly rules?: typeof getRules;
  readonly limitPerIp?: boolean;
  readonly sessionsMax?: number;
  /** The number of places for connections. */
  readonly inAll?: number;
  /** How sockets reach sessions; by default only in this process. */
  readonly createPlane?: (local: LiveRegistry, parts: { readonly store: Store; readonly clock: Clock }) => LivePlane;
}

/** Starts a game server with its sockets on a free port, on the test's clock. */
export async function startLiveTestServer(options: LiveTestServerOptions = {}): Promise<LiveTestServer> {
  const store = options.store ?? (await openMemoryStore());
  const clock = options.clock ?? new TestClock();
  const server = createServer({ shouldUpgradeCallback: isSocketUpgrade }, (_, response) => response.end("http"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const log = options.log ?? silentLog;
  const game = openLive({
    store,
    clock,
    worker: options.worker ?? inlineWorker,
    getRules: options.rules ?? getRules,
    settings: {
      ...SETTINGS,
      spectatorsMax: options.spectatorsMax ?? SETTINGS.spectatorsMax,
      sessionsMax: options.sessionsMax ?? Number.POSITIVE_INFINITY,
      limitPerIp: options.limitPerIp ?? false,
    },
    log,
  });
  const plane = options.createPlane?.(game.registry, { store, clock }) ?? game.registry;
  const limiter = createLimiter(clock, options.limitPerIp ?? false);
  const { inAll = CONNECTION_LIMITS.inAll } = options;
  const gate = new RequestGate({ limiter, clock, trustProxy: 1, inAll });
  gate.attach(server);
  const sockets = attachSockets({
    server,
    gate,
    live: plane,
    findSession: (sessionId) => game.find(sessionId),
    isSlug: (slug) => findGame(slug) !== undefined,
    tokens: store.channelTokens,
    clock,
    originAllowed: (origin) => origin === "http://good.example",
    getIp: (request) => String(request.headers["x-test-ip"] ?? request.socket.remoteAddress),
    limiter,
    log,
  });
  game.start();
  return new LiveTestServer({ store, clock, httpServer: server, game, sockets, plane, gate });
}

export class LiveTestServer {
  readonly store: Store;
  readonly clock: TestClock;
  readonly httpServer: Server;
  readonly game: Live;
  readonly sockets: Sockets;
  readonly plane: LivePlane;
  readonly gate: RequestGate;
  readonly #sockets: TestSocket[] = [];

  constructor(parts: Pick<LiveTestServer, "store" | "clock" | "httpServer" | "game" | "sockets" | "plane" | "gate">) {
    this.store = parts.store;
    this.clock = parts.clock;
    this.httpServer = parts.httpServer;
    this.game = parts.game;
    this.sockets = parts.sockets;
    this.plane = parts.plane;
    this.gate = parts.gate;
  }

  url(role: "play" | "spectate", row: Pick<SessionRow, "slug" | "sessionId">): string {
    const { port } = this.httpServer.address() as AddressInfo;
    return `ws://127.0.0.1:${port}/ws/${row.slug}/${role}?sessionId=${row.sessionId}`;
  }

  /** Stores and hosts a session, as a start over HTTP does. */
  async startSession(
    change: Partial<NewSession> = {},
    ip: string | null = null,
    options: { readonly isLockstep?: boolean } = {},
  ): Promise<SessionRow> {
    const row = await storeSession(this.store, this.clock, change);
    this.game.registry.open(row, ip, options);
    return row;
  }

  async createPlayToken(row: SessionRow, ttlMs = 60_000): Promise<string> {
    return this.#createToken("play", row, ttlMs);
  }

  async createSpectateToken(row: SessionRow, ttlMs = 30_000): Promise<string> {
    const token = await this.#createToken("spectate", row, ttlMs);
    const tokenHash = hashToken(token);
    const expiresAtMs = this.clock.nowMs() + ttlMs;
    await this.plane.reserveSeat({ sessionId: row.sessionId, tokenHash, ip: null, expiresAtMs, perIpMax: null });
    return token;
  }

  /** A socket that has not sent a message yet. */
  openSocket(
    role: "play" | "spectate",
    row: SessionRow,
    options?: ConstructorParameters<typeof TestSocket>[1],
  ): TestSocket {
    const socket = new TestSocket(this.url(role, row), options);
    this.#sockets.push(socket);
    return socket;
  }

  /** A socket that has received its hello. */
  async join(
    role: "play" | "spectate",
    row: SessionRow,
    options?: ConstructorParameters<typeof TestSocket>[1],
  ): Promise<TestSocket> {
    const token = await (role === "play" ? this.createPlayToken(row) : this.createSpectateToken(row));
    const socket = await this.openSocket(role, row, options).open();
    socket.send({ t: "auth", token });
    await socket.waitForHello();
    return socket;
  }

  /** Joins, and passes the second of `ready` up to the first tick. */
  async play(row: SessionRow): Promise<TestSocket> {
    const socket = await this.join("play", row);
    while (this.game.registry.getView(row.sessionId)?.phase === "ready") await this.advance(50);
    return socket;
  }

  /** Advances the clock in steps of 50 ms, with time for sockets and store in between. */
  async advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      this.clock.advance(Math.min(50, ms - passed));
      await nextTurn();
    }
  }

  /** Waits without advancing the clock until `condition` holds. Throws if it does not hold in time. */
  async waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadlineMs = performance.now() + 120_000;
    while (!(await condition())) {
      if (performance.now() > deadlineMs) throw new Error(`this never became true: ${condition}`);
      await nextTurn();
    }
  }

  /** Waits for a promise that needs the clock's 0 ms timers. */
  async runUntilSettled<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    const markDone = (): void => {
      done = true;
    };
    promise.then(markDone, markDone);
    while (!done) {
      this.clock.advance(0);
      await nextTurn();
    }
    return promise;
  }

  /** Ends like `kill -9`: nothing more is stored, and the store stays open. */
  async kill(): Promise<void> {
    for (const socket of this.#sockets) socket.ws.terminate();
    this.httpServer.closeAllConnections();
    this.httpServer.close();
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.runUntilSettled(this.game.drain());
    await this.store.close();
  }

  async #createToken(kind: "play" | "spectate", row: SessionRow, ttlMs: number): Promise<string> {
    const token = `${kind === "play" ? "ap_" : "as_"}${randomBytes(32).toString("base64url")}`;
    await this.store.channelTokens.add({
      tokenHash: hashToken(token),
      kind,
      sessionId: row.sessionId,
      wallet: row.wallet,
      familyId: null,
      ip: null,
      expiresAtMs: this.clock.nowMs() + ttlMs,
      usedAtMs: null,
      revokedAtMs: null,
    });
    return token;
  }
}

const storedCounts = new WeakMap<Store, number>();

/** Stores a new agent session of a new wallet. The seeds are the same in every run, regardless of earlier tests. */
async function storeSession(store: Store, clock: Clock, change: Partial<NewSession> = {}): Promise<SessionRow> {
  const storedCount = (storedCounts.get(store) ?? 0) + 1;
  storedCounts.set(store, storedCount);
  const seed = createHash("sha256").update(`seed ${storedCount}`).digest();
  const sessionId = randomUUID();
  await store.sessions.add({
    sessionId,
    slug: "shellrunners",
    source: "agent_api",
    wallet: `0x${randomBytes(20).toString("hex")}`,
    agentId: "1",
    agentName: "tester",
    practiceTokenHash: null,
    seed: `0x${seed.toString("hex")}`,
    seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
    rulesVersion: 2,
    tickHz: 20,
    startedAtMs: clock.nowMs(),
    ...change,
  });
  const row = await store.sessions.find(change.sessionId ?? sessionId);
  if (!row) throw new Error("the session was not stored");
  return row;
}
