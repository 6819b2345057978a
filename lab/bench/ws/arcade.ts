/** The service's own game server: scheduler, recorder, channels, an in-memory store. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { systemClock as clock } from "../../../backend/adapters/system/clock.ts";
import { openWorker } from "../../../backend/adapters/worker/worker.ts";
import { openLive } from "../../../backend/live/live.ts";
import type { LivePlane, LocalPlane } from "../../../backend/ports/live-channels.ts";
import type { SessionStore } from "../../../backend/ports/store/sessions.ts";
import type { Worker } from "../../../backend/ports/system.ts";
import { createLimiter } from "../../../backend/rate-limits/limiter.ts";
import { hashToken } from "../../../backend/services/auth/tokens.ts";
import { attachSockets, isSocketUpgrade } from "../../../backend/ws/attach-sockets.ts";
import type { Game } from "../../../games/game.ts";
import { type BenchServer, type ConnectInfo, game, type OnTick } from "./side.ts";

/** Of a session. */
const SPECTATORS_MAX = 10_000;
const log = { debug() {}, info() {}, warn() {}, error: console.error };

export interface BenchSession {
  readonly sessionId: string;
  readonly seed: `0x${string}`;
  readonly tickHz: number;
}

interface ArcadeServer extends BenchServer {
  readonly worker: Worker;
  store(session: BenchSession): Promise<void>;
  /** Runs a stored session in this process, as session `n`; without a player it is joined at once. */
  host(sessionId: string, n: number, hasPlayer: boolean): Promise<void>;
  createConnectInfo(kind: "play" | "spectate", sessionId: string, query: string): Promise<ConnectInfo>;
}

interface ArcadeOptions {
  /** In memory by default, since the peers use no disk. */
  readonly databaseUrl?: string | undefined;
  /** The game of all sessions; the runner that never ends when left out. */
  readonly rules?: Game;
  /** How sockets reach sessions; those of this process only when left out. */
  readonly createPlane?: (local: LocalPlane, sessions: SessionStore) => LivePlane;
}

export const createBenchSession = (tickHz: number): BenchSession => ({
  sessionId: randomUUID(),
  tickHz,
  seed: `0x${randomBytes(32).toString("hex")}`,
});

export async function startArcade(
  onTick: OnTick,
  { databaseUrl = "sqlite::memory:", rules = game, createPlane }: ArcadeOptions = {},
): Promise<ArcadeServer> {
  const store = await openStore({ databaseUrl });
  const worker = openWorker({ log });
  const rulesOf = () => rules;
  const settings = { spectatorsMax: SPECTATORS_MAX, chainId: 31337, rewards: `0x${"22".repeat(20)}` } as const;
  const live = openLive({ store, clock, worker, getRules: rulesOf, settings, log });
  const plane = createPlane?.(live.registry, store.sessions) ?? live.registry;
  const server = createServer({ shouldUpgradeCallback: isSocketUpgrade });
  attachSockets({
    server,
    live: plane,
    findSession: (sessionId: string) => live.find(sessionId),
    tokens: store.channelTokens,
    clock,
    log,
    isSlug: () => true,
    getIp: () => "local",
    limiter: createLimiter(clock, false),
    originAllowed: () => true,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  live.start();
  let opened = 0;

  async function createConnectInfo(kind: "play" | "spectate", sessionId: string, query: string): Promise<ConnectInfo> {
    const token = `${kind === "play" ? "ap_" : "as_"}${randomBytes(32).toString("base64url")}`;
    const tokenHash = hashToken(token);
    const expiresAtMs = clock.nowMs() + 600_000;
    const nothing = { wallet: null, familyId: null, ip: null, usedAtMs: null, revokedAtMs: null } as const;
    await store.channelTokens.add({ ...nothing, tokenHash, kind, sessionId, expiresAtMs });
    if (kind === "spectate") await plane.reserveSeat({ sessionId, tokenHash, ip: null, expiresAtMs, perIpMax: null });
    const url = `ws://127.0.0.1:${port}/ws/${game.slug}/${kind}?sessionId=${sessionId}${query}`;
    return { url, say: [JSON.stringify({ t: "auth", token })] };
  }

  async function storeSession({ sessionId, seed, tickHz }: BenchSession): Promise<void> {
    await store.sessions.add({
      sessionId,
      slug: game.slug,
      source: "agent_api",
      wallet: `0x${randomBytes(20).toString("hex")}`,
      agentId: "1",
      agentName: "bench",
      practiceTokenHash: null,
      rulesVersion: 2,
      tickHz,
      seed,
      seedCommitment: `0x${createHash("sha256")
        .update(Buffer.from(seed.slice(2), "hex"))
        .digest("hex")}`,
      startedAtMs: clock.nowMs(),
    });
  }

  async function host(sessionId: string, n: number, hasPlayer: boolean): Promise<void> {
    live.registry.open((await store.sessions.find(sessionId))!, null);
    const session = live.registry.get(sessionId)!;
    session.subscribe({ onTick: () => onTick(n), onEnd: () => {} });
    if (!hasPlayer) session.connectPlayer(clock.monotonicMs());
  }

  return {
    worker,
    store: storeSession,
    host,
    createConnectInfo,
    open: async (tickHz, viewers, { compact = false, player = false } = {}) => {
      const session = createBenchSession(tickHz);
      const { sessionId } = session;
      await storeSession(session);
      await host(sessionId, opened++, player);
      const tickets: ConnectInfo[] = [];
      if (player) tickets.push(await createConnectInfo("play", sessionId, ""));
      for (let i = 0; i < viewers; i++) {
        tickets.push(await createConnectInfo("spectate", sessionId, compact ? "&enc=compact" : ""));
      }
      return tickets;
    },
  };
}
