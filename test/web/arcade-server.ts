/**
 * The service as the viewer uses it, without a chain: the real routes, sessions, runner, sockets and store, on a free
 * port with the system's clock, serving the built viewer.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { recoverAddress, recoverMessageAddress, recoverTypedDataAddress } from "viem";
import { systemClock } from "../../backend/adapters/system/clock.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { createHttpApp } from "../../backend/http/server/app.ts";
import { type Live, openLive } from "../../backend/live/live.ts";
import type { SessionListener } from "../../backend/ports/live-channels.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import type { Log, Worker } from "../../backend/ports/system.ts";
import { createLimiter } from "../../backend/rate-limits/limiter.ts";
import { Auth } from "../../backend/services/auth/auth.ts";
import { ChannelTokens } from "../../backend/services/auth/channel-tokens.ts";
import { Metadata } from "../../backend/services/metadata/metadata.ts";
import { ErrorLog } from "../../backend/services/operations/error-log.ts";
import type { Services } from "../../backend/services/services.ts";
import { Catalog } from "../../backend/services/sessions/catalog.ts";
import { Replays } from "../../backend/services/sessions/replays.ts";
import { SessionOpener } from "../../backend/services/sessions/session-opener.ts";
import { Sessions } from "../../backend/services/sessions/sessions.ts";
import { attachSockets, type Sockets } from "../../backend/ws/attach-sockets.ts";
import { uuidV7 } from "../../domain/ids.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import type { Bot, PlayFrame } from "../../games/game.ts";
import { findGame, games, getRules } from "../../games/index.ts";
import { createChangingVersions } from "../helpers/changing-versions.ts";
import { openMemoryStore } from "../helpers/template.ts";

const quietLog: Log = { debug() {}, info() {}, warn() {}, error: (...args: unknown[]) => console.error(...args) };
const CHAIN = { chainId: 31337, rewards: `0x${"22".repeat(20)}` } as const;

export interface AgentOptions {
  readonly slug: string;
  readonly agentName?: string;
  readonly bot?: Bot;
}

interface ArcadeParts {
  readonly server: Server;
  readonly store: Store;
  readonly runtime: Live;
  readonly sockets: Sockets;
}

export class ArcadeServer {
  /** Requested paths, in order. */
  readonly requests: string[];
  readonly url: string;
  readonly #parts: ArcadeParts;
  readonly #upgradedSockets = new Set<Duplex>();

  constructor(parts: ArcadeParts, requests: string[]) {
    this.#parts = parts;
    this.requests = requests;
    this.url = `http://127.0.0.1:${(parts.server.address() as AddressInfo).port}`;
  }

  /** An agent's session that its bot plays inside this process; without a bot it waits for its player. */
  async startAgent({ slug, agentName = "Tester", bot }: AgentOptions): Promise<SessionRow> {
    const { store, runtime } = this.#parts;
    const game = findGame(slug)!;
    const seed = randomBytes(32);
    const sessionId = uuidV7(Date.now(), randomBytes(10));
    await store.sessions.add({
      sessionId,
      slug,
      source: "agent_api",
      wallet: `0x${randomBytes(20).toString("hex")}`,
      agentId: "1",
      agentName,
      practiceTokenHash: null,
      seed: `0x${seed.toString("hex")}`,
      seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
      rulesVersion: game.rulesVersion,
      tickHz: game.tickHz,
      startedAtMs: Date.now(),
    });
    const row = (await store.sessions.find(sessionId))!;
    runtime.registry.open(row, null);
    if (bot !== undefined) this.#playWithBot(sessionId, bot);
    return row;
  }

  /** Whether a session has ended and is stored. */
  async isOver(sessionId: string): Promise<boolean> {
    return (await this.#parts.store.sessions.find(sessionId))?.phase === "ended";
  }

  async endSession(sessionId: string): Promise<void> {
    await this.#parts.runtime.registry.end(sessionId, "ended_by_player");
  }

  /** Cuts every socket as a broken network does; sessions continue. */
  cutSockets(): void {
    this.#parts.server.closeAllConnections();
    for (const socket of this.#upgradedSockets) socket.destroy();
  }

  /** Takes all seats of a session. */
  fillSeats(sessionId: string): void {
    const seat = { sessionId, ip: null, expiresAtMs: Date.now() + 60_000, perIpMax: null };
    for (let n = 0; this.#parts.runtime.registry.reserveSeat({ ...seat, tokenHash: `seat ${n}` })?.reserved; n += 1);
  }

  async stop(): Promise<void> {
    const { server, store, runtime, sockets } = this.#parts;
    const closed = new Promise((resolve) => server.close(resolve));
    this.cutSockets();
    await sockets.drain();
    await runtime.drain();
    await closed;
    await store.close();
  }

  trackUpgrade(socket: Duplex): void {
    this.#upgradedSockets.add(socket);
    socket.on("close", () => this.#upgradedSockets.delete(socket));
  }

  #playWithBot(sessionId: string, bot: Bot): void {
    const session = this.#parts.runtime.registry.get(sessionId)!;
    const { epoch } = session.connectPlayer(systemClock.monotonicMs());
    const listener: SessionListener = {
      onTick: ({ frame: { frame } }) => {
        const message = frame.phase === "running" ? bot(frame as unknown as PlayFrame) : null;
        if (message !== null) session.acceptInput(epoch, message, undefined);
      },
      onEnd: () => {},
    };
    session.subscribe(listener);
  }
}

/** Works in the test's own thread. */
const worker: Worker = {
  recoverMessage: (message, signature) => recoverMessageAddress({ message, signature }),
  recoverDigest: (hash, signature) => recoverAddress({ hash, signature }),
  recoverTypedData: (typedData, signature) => recoverTypedDataAddress({ ...(typedData as object), signature } as never),
  verifyReplay: async (replay) => verifyReplay(replay, getRules),
  close: async () => {},
};

/** Chain and signer are unavailable: routes that need them respond with an error, the others work. */

export async function startArcade(options: { readonly webDir: string; readonly spectatorsMax?: number }) {
  const clock = systemClock;
  const spectatorsMax = options.spectatorsMax ?? 50;
  const store = await openMemoryStore();
  const runtime = openLive({
    store,
    clock,
    worker,
    getRules,
    settings: { ...CHAIN, spectatorsMax },
    log: quietLog,
  });
  let url = "";
  const chain = { deployment: { ...CHAIN, nft: {} } } as never;
  const tickHz = Object.fromEntries(games.map((game) => [game.slug, game.tickHz]));
  const wsUrl = (): string => url.replace(/^http/, "ws");
  const catalog = new Catalog({ games, chain, tickHz, spectatorsMax, disconnectPauseSeconds: 60, wsUrl });
  const channelTokens = new ChannelTokens({
    store: store.channelTokens,
    live: runtime.registry,
    clock,
    catalog,
    identity: { findAgentId: async () => null },
    limitSeatsPerIp: false,
  });
  const sessions = new Sessions({
    store: store.sessions,
    live: runtime.registry,
    starts: new SessionOpener({ store: store.sessions, live: runtime.registry, clock, catalog }),
    index: { getFinality: () => ({ safe: -1, final: -1 }) },
    clock,
    catalog,
    identity: {} as never,
    gates: {} as never,
    channelTokens,
    spectatorsMax,
    outageMs: () => 0,
  });
  const recoversNone = { recoverTypedData: async () => null };
  const replays = new Replays({ store: store.sessions, sessions, chain, clock, worker: recoversNone });
  const auth = new Auth({
    store: store.auth,
    clock,
    worker,
    chain,
    identity: { findAgentId: async () => null },
    live: runtime.registry,
    settings: {
      publicUrl: () => url,
      origins: () => [new URL(url).origin],
      accessTtlSeconds: 3600,
      refreshTtlSeconds: 7200,
      allowErc1271: false,
    },
  });
  const metadata = new Metadata({
    store: { findProfile: async () => null },
    chain: chain as never,
    catalog,
    identity: { findAgentId: async () => null, getName: async () => null } as never,
    publicUrl: () => url,
    wsUrl,
  });
  const services = {
    catalog,
    channelTokens,
    replays,
    sessions,
    auth,
    errorLog: new ErrorLog(Date.now),
    metadata,
    stats: { listLeaderboard: async () => ({ items: [], page: 1, limit: 1, total: 0 }) },
  } as unknown as Services;
  const limiter = createLimiter(clock, false);
  const { listener } = createHttpApp({
    routes,
    services,
    versions: createChangingVersions(),
    limiter,
    idempotency: store.idempotency,
    clock,
    log: quietLog,
    checkResponses: true,
    trustProxy: false,
    isLocal: true,
    deployment: { ...CHAIN, nft: {} } as never,
    publicUrl: () => url,
    rpcUrl: null,
    browserRpcUrl: null,
    webDir: options.webDir,
  });
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  const sockets = attachSockets({
    limiter,
    getIp: (request) => request.socket.remoteAddress ?? "unknown",
    server,
    live: runtime.registry,
    findSession: (sessionId) => runtime.find(sessionId),
    isSlug: (slug) => findGame(slug) !== undefined,
    tokens: store.channelTokens,
    clock,
    originAllowed: (origin) => origin === url,
    log: quietLog,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const arcade = new ArcadeServer({ server, store, runtime, sockets }, requests);
  server.on("upgrade", (_, socket) => arcade.trackUpgrade(socket));
  url = arcade.url;
  runtime.start();
  return arcade;
}
