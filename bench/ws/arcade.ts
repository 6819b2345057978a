/** The service's own game server: scheduler, recorder, channels, an in-memory store. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock as clock } from "../../backend/adapters/clock.ts";
import { openStore } from "../../backend/adapters/store/index.ts";
import { openWorker } from "../../backend/adapters/worker/index.ts";
import type { Worker } from "../../backend/ports.ts";
import { openLive } from "../../backend/runtime/open-live.ts";
import { attachSockets, isSocketUpgrade } from "../../backend/ws/attach.ts";
import { hashChannelToken } from "../../backend/ws/authenticate.ts";
import { game, type OnTick, type Side, type Ticket } from "./side.ts";

const log = { debug() {}, info() {}, warn() {}, error: console.error };

interface Arcade extends Side {
  readonly worker: Worker;
}

/** `databaseUrl`: in memory when left out, so that no disk is measured beside peers that have none. */
export async function startArcade(onTick: OnTick, databaseUrl = "sqlite::memory:"): Promise<Arcade> {
  const store = await openStore({ databaseUrl });
  const worker = openWorker({ log });
  const rulesOf = () => game;
  const settings = { spectatorsMax: 100, chainId: 31337, rewards: `0x${"22".repeat(20)}` } as const;
  const live = openLive({ store, clock, worker, rulesOf, settings, log });
  const server = createServer({ shouldUpgradeCallback: isSocketUpgrade });
  attachSockets({
    ...{ server, live: live.live, findSession: live.find, tokens: store.channelTokens, clock, log },
    isSlug: () => true,
    originAllowed: () => true,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  live.start();
  let opened = 0;

  async function ticketOf(kind: "play" | "spectate", sessionId: string, query: string): Promise<Ticket> {
    const token = `${kind === "play" ? "ap_" : "as_"}${randomBytes(32).toString("base64url")}`;
    const tokenHash = hashChannelToken(token);
    const expiresAtMs = clock.nowMs() + 600_000;
    const nothing = { wallet: null, ip: null, usedAtMs: null, revokedAtMs: null } as const;
    await store.channelTokens.add({ ...nothing, tokenHash, kind, sessionId, expiresAtMs });
    if (kind === "spectate") live.live.reserveSeat({ sessionId, tokenHash, ip: null, expiresAtMs, perIpMax: null });
    const url = `ws://127.0.0.1:${port}/ws/${game.slug}/${kind}?sessionId=${sessionId}${query}`;
    return { via: "ws", url, say: [JSON.stringify({ t: "auth", token })] };
  }

  return {
    worker,
    open: async (tickHz, viewers, { compact = false, player = false } = {}) => {
      const n = opened++;
      const seed = randomBytes(32);
      const sessionId = randomUUID();
      await store.sessions.add({
        ...{ sessionId, slug: game.slug, source: "agent_api", wallet: `0x${randomBytes(20).toString("hex")}` },
        ...{ agentId: "1", agentName: "bench", practiceTokenHash: null, rulesVersion: 1, tickHz },
        seed: `0x${seed.toString("hex")}`,
        seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
        startedAtMs: clock.nowMs(),
      });
      live.live.open((await store.sessions.find(sessionId))!);
      const session = live.live.get(sessionId)!;
      session.listen({ published: () => onTick(n), finished: () => {} });
      const tickets: Ticket[] = [];
      if (player) tickets.push(await ticketOf("play", sessionId, ""));
      else session.connectPlayer(clock.monotonicMs());
      for (let i = 0; i < viewers; i++) {
        tickets.push(await ticketOf("spectate", sessionId, compact ? "&enc=compact" : ""));
      }
      return tickets;
    },
  };
}
