/** The service's own game server: scheduler, recorder, channels, an in-memory store. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { systemClock as clock } from "../../../backend/adapters/system/clock.ts";
import { openWorker } from "../../../backend/adapters/worker/worker.ts";
import { openLive } from "../../../backend/live/live.ts";
import { createLimiter } from "../../../backend/rate-limits/limiter.ts";
import { RequestGate } from "../../../backend/rate-limits/request-gate.ts";
import { hashToken } from "../../../backend/services/auth/tokens.ts";
import { attachSockets, isSocketUpgrade } from "../../../backend/ws/attach-sockets.ts";
import { type BenchServer, type ConnectInfo, game, type OnTick } from "./side.ts";

/** Per session. */
const SPECTATORS_MAX = 10_000;
const log = { debug() {}, info() {}, warn() {}, error: console.error };

/** The database is in memory by default, since the peers use no disk. */
export async function startArcade(onTick: OnTick, databaseUrl = "sqlite::memory:"): Promise<BenchServer> {
  const store = await openStore({ databaseUrl });
  const worker = openWorker({ log });
  const settings = { spectatorsMax: SPECTATORS_MAX, chainId: 31337, rewards: `0x${"22".repeat(20)}` } as const;
  const live = openLive({ store, clock, worker, getRules: () => game, settings, log });
  const server = createServer({ shouldUpgradeCallback: isSocketUpgrade });
  const limiter = createLimiter(clock, false);
  const gate = new RequestGate({ limiter, clock, trustProxy: 1, inAll: Number.POSITIVE_INFINITY });
  gate.attach(server);
  server.maxConnections = Number.POSITIVE_INFINITY;
  attachSockets({
    server,
    gate,
    live: live.registry,
    findSession: (sessionId: string) => live.find(sessionId),
    tokens: store.channelTokens,
    clock,
    log,
    isSlug: () => true,
    getIp: () => "local",
    limiter,
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
    if (kind === "spectate")
      await live.registry.reserveSeat({ sessionId, tokenHash, ip: null, expiresAtMs, perIpMax: null });
    const url = `ws://127.0.0.1:${port}/ws/${game.slug}/${kind}?sessionId=${sessionId}${query}`;
    return { url, messages: [JSON.stringify({ t: "auth", token })] };
  }

  /** A stored session that this process runs; without a player it is joined at once. */
  async function openSession(tickHz: number, hasPlayer: boolean): Promise<string> {
    const sessionId = randomUUID();
    const seed = randomBytes(32);
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
      seed: `0x${seed.toString("hex")}`,
      seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
      startedAtMs: clock.nowMs(),
    });
    const n = opened++;
    live.registry.open((await store.sessions.find(sessionId))!, null);
    const session = live.registry.get(sessionId)!;
    session.subscribe({ onTick: () => onTick(n), onEnd: () => {} });
    if (!hasPlayer) session.connectPlayer(clock.monotonicMs());
    return sessionId;
  }

  return {
    open: async (tickHz, viewers, { compact = false, player = false } = {}) => {
      const sessionId = await openSession(tickHz, player);
      const tickets: ConnectInfo[] = [];
      if (player) tickets.push(await createConnectInfo("play", sessionId, ""));
      for (let i = 0; i < viewers; i++)
        tickets.push(await createConnectInfo("spectate", sessionId, compact ? "&enc=compact" : ""));
      return tickets;
    },
  };
}
