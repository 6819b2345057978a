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

export async function startArcade(onTick: OnTick): Promise<Side & { readonly worker: Worker }> {
  const store = await openStore({ databaseUrl: "sqlite::memory:" });
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

  async function open(tickHz: number, viewers: number, compact: boolean): Promise<readonly Ticket[]> {
    const n = opened++;
    const seed = randomBytes(32);
    const sessionId = randomUUID();
    await store.sessions.add({
      ...{ sessionId, slug: game.slug, source: "agent_api", wallet: `0x${randomBytes(20).toString("hex")}` },
      ...{ agentId: "1", agentName: "bench", practiceTokenHash: null, rulesVersion: 1, tickHz },
      seed: `0x${seed.toString("hex")}`,
      seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
      startedAtMs: clock.nowMs(),
    } as never);
    live.live.open((await store.sessions.find(sessionId))!);
    const session = live.live.get(sessionId)!;
    session.listen({ published: () => onTick(n), finished: () => {} });
    session.connectPlayer(clock.monotonicMs());
    const tickets: Ticket[] = [];
    for (let i = 0; i < viewers; i++) {
      const token = `as_${randomBytes(32).toString("base64url")}`;
      const tokenHash = hashChannelToken(token);
      const expiresAtMs = clock.nowMs() + 600_000;
      await store.channelTokens.add({
        ...{
          tokenHash,
          kind: "spectate",
          sessionId,
          wallet: null,
          ip: null,
          expiresAtMs,
          usedAtMs: null,
          revokedAtMs: null,
        },
      } as never);
      session.seats.reserve({ tokenHash, ip: null, expiresAtMs, perIpMax: null }, clock.nowMs());
      const url = `ws://127.0.0.1:${port}/ws/${game.slug}/spectate?sessionId=${sessionId}${compact ? "&enc=compact" : ""}`;
      tickets.push({ via: "ws", url, say: [JSON.stringify({ t: "auth", token })] });
    }
    return tickets;
  }
  return { open, worker };
}
