import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openStore } from "../../backend/adapters/store/index.ts";
import { verifyReplay } from "../../backend/domain/verify-replay.ts";
import { findGame, rulesOf } from "../../backend/games/index.ts";
import type { Clock, Log, NewSession, SessionRow, Store, Worker } from "../../backend/ports.ts";
import { type Live, openLive } from "../../backend/runtime/open-live.ts";
import { attachSockets, isSocketUpgrade, type Sockets } from "../../backend/ws/attach.ts";
import { hashChannelToken } from "../../backend/ws/authenticate.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { TestSocket } from "./test-socket.ts";

export const SETTINGS = { spectatorsMax: 5, chainId: 31337, rewards: `0x${"22".repeat(20)}` } as const;

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Verifies in the test's own thread. */
export const inlineWorker: Pick<Worker, "verifyReplay"> = {
  verifyReplay: async (replay) => verifyReplay(replay, rulesOf),
};

export const openTestStore = (): Promise<Store> => openStore({ databaseUrl: "sqlite::memory:" });

interface SuiteOptions {
  readonly store?: Store;
  readonly clock?: TestClock;
  readonly worker?: Pick<Worker, "verifyReplay">;
  readonly spectatorsMax?: number;
  readonly log?: Log;
  readonly rules?: typeof rulesOf;
  readonly limitPerIp?: boolean;
}

/** Starts a game server with its sockets on a free port, on the test's clock. */
export async function startLiveSuite(options: SuiteOptions = {}): Promise<LiveSuite> {
  const store = options.store ?? (await openTestStore());
  const clock = options.clock ?? new TestClock();
  const server = createServer({ shouldUpgradeCallback: isSocketUpgrade }, (_, response) => response.end("http"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const log = options.log ?? silentLog;
  const game = openLive({
    store,
    clock,
    worker: options.worker ?? inlineWorker,
    rulesOf: options.rules ?? rulesOf,
    settings: { ...SETTINGS, spectatorsMax: options.spectatorsMax ?? SETTINGS.spectatorsMax },
    log,
  });
  const sockets = attachSockets({
    server,
    live: game.live,
    findSession: game.find,
    isSlug: (slug) => findGame(slug) !== undefined,
    tokens: store.channelTokens,
    clock,
    originAllowed: (origin) => origin === "http://good.example",
    ipOf: (request) => String(request.headers["x-test-ip"] ?? request.socket.remoteAddress),
    limitPerIp: options.limitPerIp ?? false,
    log,
  });
  game.start();
  return new LiveSuite(store, clock, server, game, sockets);
}

export class LiveSuite {
  readonly store: Store;
  readonly clock: TestClock;
  readonly server: Server;
  readonly game: Live;
  readonly sockets: Sockets;
  readonly #open: TestSocket[] = [];

  constructor(store: Store, clock: TestClock, server: Server, game: Live, sockets: Sockets) {
    this.store = store;
    this.clock = clock;
    this.server = server;
    this.game = game;
    this.sockets = sockets;
  }

  url(role: "play" | "spectate", row: Pick<SessionRow, "slug" | "sessionId">): string {
    const { port } = this.server.address() as AddressInfo;
    return `ws://127.0.0.1:${port}/ws/${row.slug}/${role}?sessionId=${row.sessionId}`;
  }

  /** Stores and hosts a session, as a start over HTTP does. */
  async startSession(change: Partial<NewSession> = {}): Promise<SessionRow> {
    const row = await storeSession(this.store, this.clock, change);
    this.game.live.open(row);
    return row;
  }

  async playToken(row: SessionRow, ttlMs = 60_000): Promise<string> {
    return this.#token("play", row, ttlMs);
  }

  async spectateToken(row: SessionRow, ttlMs = 30_000): Promise<string> {
    const token = await this.#token("spectate", row, ttlMs);
    const tokenHash = hashChannelToken(token);
    const expiresAtMs = this.clock.nowMs() + ttlMs;
    this.game.live.reserveSeat({ sessionId: row.sessionId, tokenHash, ip: null, expiresAtMs, perIpMax: null });
    return token;
  }

  /** A socket that has not spoken yet. */
  socket(
    role: "play" | "spectate",
    row: SessionRow,
    options?: ConstructorParameters<typeof TestSocket>[1],
  ): TestSocket {
    const socket = new TestSocket(this.url(role, row), options);
    this.#open.push(socket);
    return socket;
  }

  /** A socket that has heard its hello. */
  async join(
    role: "play" | "spectate",
    row: SessionRow,
    options?: ConstructorParameters<typeof TestSocket>[1],
  ): Promise<TestSocket> {
    const token = await (role === "play" ? this.playToken(row) : this.spectateToken(row));
    const socket = await this.socket(role, row, options).open();
    socket.send({ t: "auth", token });
    await socket.hello();
    return socket;
  }

  /** Joins and runs the second of `ready`, up to the first tick. */
  async play(row: SessionRow): Promise<TestSocket> {
    const socket = await this.join("play", row);
    while (this.game.live.view(row.sessionId)?.phase === "ready") await this.run(50);
    return socket;
  }

  /** Lets time pass in steps of 50 ms, with room for sockets and store between them. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      this.clock.advance(Math.min(50, ms - passed));
      await nextTurn();
    }
  }

  /** Lets the clock stand still until `condition` holds; gives up when nothing comes for long. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const giveUpMs = performance.now() + 10_000;
    while (!(await condition())) {
      if (performance.now() > giveUpMs) throw new Error(`this never became true: ${condition}`);
      await nextTurn();
    }
  }

  /** Waits for a promise that needs the clock's timers of 0 ms. */
  async driven<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    const mark = (): void => {
      done = true;
    };
    promise.then(mark, mark);
    while (!done) {
      this.clock.advance(0);
      await nextTurn();
    }
    return promise;
  }

  /** Ends as `kill -9` does: nothing more is stored, the store stays open. */
  async abandon(): Promise<void> {
    for (const socket of this.#open) socket.ws.terminate();
    this.server.closeAllConnections();
    this.server.close();
  }

  async stop(): Promise<void> {
    await this.abandon();
    await this.driven(this.game.drain());
    await this.store.close();
  }

  async #token(kind: "play" | "spectate", row: SessionRow, ttlMs: number): Promise<string> {
    const token = `${kind === "play" ? "ap_" : "as_"}${randomBytes(32).toString("base64url")}`;
    await this.store.channelTokens.add({
      tokenHash: hashChannelToken(token),
      kind,
      sessionId: row.sessionId,
      wallet: row.wallet,
      ip: null,
      expiresAtMs: this.clock.nowMs() + ttlMs,
      usedAtMs: null,
      revokedAtMs: null,
    });
    return token;
  }
}

let stored = 0;

/** Stores a new agent session of a wallet of its own. The seeds of a run are always the same ones. */
export async function storeSession(store: Store, clock: Clock, change: Partial<NewSession> = {}): Promise<SessionRow> {
  stored += 1;
  const seed = createHash("sha256").update(`seed ${stored}`).digest();
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
    rulesVersion: findGame(change.slug ?? "shellrunners")?.rulesVersion ?? 1,
    tickHz: 20,
    startedAtMs: clock.nowMs(),
    ...change,
  });
  const row = await store.sessions.find(change.sessionId ?? sessionId);
  if (!row) throw new Error("the session was not stored");
  return row;
}
