/**
 * The service as the viewer meets it, without a chain: the real routes, sessions, runner, sockets and store, on a free
 * port with the system's clock, serving the built viewer.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { recoverAddress, recoverMessageAddress, recoverTypedDataAddress } from "viem";
import { systemClock } from "../../backend/adapters/clock.ts";
import { makeLimiter } from "../../backend/adapters/limiter/memory.ts";
import { openStore } from "../../backend/adapters/store/index.ts";
import { ArcadeError } from "../../backend/domain/errors.ts";
import { uuidV7 } from "../../backend/domain/uuid.ts";
import { verifyReplay } from "../../backend/domain/verify-replay.ts";
import type { Bot, PlayFrame } from "../../backend/games/game.ts";
import { findGame, games, rulesOf } from "../../backend/games/index.ts";
import { makeHttpApp } from "../../backend/http/app.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Log, SessionRow, Store, Worker } from "../../backend/ports.ts";
import { type Live, openLive } from "../../backend/runtime/open-live.ts";
import { makeAuth } from "../../backend/services/auth.ts";
import { makeCatalog } from "../../backend/services/catalog.ts";
import { makeChannelTokens } from "../../backend/services/channel-tokens.ts";
import type { SessionListener } from "../../backend/services/live/session.ts";
import type { Services } from "../../backend/services/services.ts";
import { makeSessions } from "../../backend/services/sessions.ts";
import { attachSockets, type Sockets } from "../../backend/ws/attach.ts";

const quiet: Log = { debug() {}, info() {}, warn() {}, error: (...words: unknown[]) => console.error(...words) };
const CHAIN = { chainId: 31337, rewards: `0x${"22".repeat(20)}` } as const;

export interface AgentOptions {
  readonly slug: string;
  readonly agentName?: string;
  readonly bot?: Bot;
}

interface Parts {
  readonly server: Server;
  readonly store: Store;
  readonly runtime: Live;
  readonly sockets: Sockets;
}

export class ArcadeServer {
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  readonly url: string;
  readonly #parts: Parts;
  readonly #upgraded = new Set<Duplex>();

  constructor(parts: Parts, asked: string[]) {
    this.#parts = parts;
    this.asked = asked;
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
    runtime.live.open(row);
    if (bot !== undefined) this.#playBy(sessionId, bot);
    return row;
  }

  /** Whether a session has ended and is stored. */
  async isOver(sessionId: string): Promise<boolean> {
    return (await this.#parts.store.sessions.find(sessionId))?.phase === "ended";
  }

  async endSession(sessionId: string): Promise<void> {
    await this.#parts.runtime.live.end(sessionId, "ended_by_player");
  }

  /** Cuts every socket as a broken network does; sessions go on. */
  cutSockets(): void {
    this.#parts.server.closeAllConnections();
    for (const socket of this.#upgraded) socket.destroy();
  }

  /** Takes all seats of a session. */
  fillSeats(sessionId: string): void {
    const seat = { sessionId, ip: null, expiresAtMs: Date.now() + 60_000, perIpMax: null };
    for (let n = 0; this.#parts.runtime.live.reserveSeat({ ...seat, tokenHash: `seat ${n}` })?.reserved; n += 1);
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

  noteUpgrade(socket: Duplex): void {
    this.#upgraded.add(socket);
    socket.on("close", () => this.#upgraded.delete(socket));
  }

  #playBy(sessionId: string, bot: Bot): void {
    const session = this.#parts.runtime.live.get(sessionId)!;
    const { epoch } = session.connectPlayer(systemClock.monotonicMs());
    const listener: SessionListener = {
      published: (_, { frame }) => {
        const message = frame.phase === "running" ? bot(frame as unknown as PlayFrame) : null;
        if (message !== null) session.steer(epoch, message, undefined);
      },
      finished: () => {},
    };
    session.listen(listener);
  }
}

/** Works in the test's own thread. */
const worker: Worker = {
  recoverMessage: (message, signature) => recoverMessageAddress({ message, signature }),
  recoverDigest: (hash, signature) => recoverAddress({ hash, signature }),
  recoverTypedData: (typedData, signature) => recoverTypedDataAddress({ ...(typedData as object), signature } as never),
  verifyReplay: async (replay) => verifyReplay(replay, rulesOf),
  close: async () => {},
};

/** Chain and signer are away: what needs them answers so, the rest works. */
const away = (): never => {
  throw new ArcadeError("CHAIN_UNAVAILABLE", "This server has no chain.");
};

export async function startArcade(options: { readonly webDir: string; readonly spectatorsMax?: number }) {
  const clock = systemClock;
  const spectatorsMax = options.spectatorsMax ?? 50;
  const store = await openStore({ databaseUrl: "sqlite::memory:" });
  const runtime = openLive({
    store,
    clock,
    worker,
    rulesOf,
    settings: { ...CHAIN, spectatorsMax },
    log: quiet,
  });
  let url = "";
  const chain = { deployment: { ...CHAIN, nft: {} }, finality: async () => away() } as never;
  const tickHz = Object.fromEntries(games.map((game) => [game.slug, game.tickHz]));
  const wsUrl = (): string => url.replace(/^http/, "ws");
  const catalog = makeCatalog({ games, chain, tickHz, spectatorsMax, wsUrl });
  const channelTokens = makeChannelTokens({
    store: store.channelTokens,
    live: runtime.live,
    clock,
    catalog,
    limitSeatsPerIp: false,
  });
  const sessions = makeSessions({
    store: store.sessions,
    live: runtime.live,
    chain,
    clock,
    log: quiet,
    catalog,
    identity: {} as never,
    nft: {} as never,
    channelTokens,
    spectatorsMax,
    outageMs: () => 0,
    freshen: async () => {},
  });
  const auth = makeAuth({
    store: store.auth,
    clock,
    worker,
    chain,
    identity: { agentIdOf: async () => null } as never,
    settings: {
      publicUrl: () => url,
      domains: () => [new URL(url).host],
      accessTtlSeconds: 3600,
      refreshTtlSeconds: 7200,
      allowErc1271: false,
    },
  });
  const services = { catalog, channelTokens, sessions, auth } as unknown as Services;
  const app = makeHttpApp({
    routes,
    services,
    limiter: makeLimiter(clock, false),
    idempotency: store.idempotency,
    clock,
    log: quiet,
    checkResponses: true,
    trustProxy: false,
    isLocal: true,
    webDir: options.webDir,
  });
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    app(request, response);
  });
  const sockets = attachSockets({
    server,
    live: runtime.live,
    findSession: runtime.find,
    isSlug: (slug) => findGame(slug) !== undefined,
    tokens: store.channelTokens,
    clock,
    originAllowed: (origin) => origin === url,
    log: quiet,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const arcade = new ArcadeServer({ server, store, runtime, sockets }, asked);
  server.on("upgrade", (_, socket) => arcade.noteUpgrade(socket));
  url = arcade.url;
  runtime.start();
  return arcade;
}
