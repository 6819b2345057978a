/** The composition root: opens the infrastructure, wires the services, serves HTTP and WebSocket, and closes it all. */

import { createServer, type RequestListener, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { openChain } from "./adapters/chain/open-chain.ts";
import { RequestBudget } from "./adapters/chain/request-budget.ts";
import { systemClock } from "./adapters/clock.ts";
import { createLimiter } from "./adapters/limiter.ts";
import { openLivePlane } from "./adapters/live-plane/open-live-plane.ts";
import { McpProcess } from "./adapters/mcp-process.ts";
import { listen } from "./adapters/node/listen.ts";
import { openWorker } from "./adapters/worker/worker.ts";
import type { App, AppOptions } from "./app-options.ts";
import { isLocalChain } from "./domain/chain-ids.ts";
import { toIpKey } from "./domain/limits/address-keys.ts";
import { isAllowedOrigin, listOrigins } from "./domain/origins.ts";
import { DAY_MS } from "./domain/time.ts";
import { gameList } from "./games/index.ts";
import { createHttpApp } from "./http/app.ts";
import { getClientAddress } from "./http/client-address.ts";
import { handleInvalidRequests } from "./http/client-error.ts";
import { serveMcp } from "./http/mcp-proxy.ts";
import { GATE_SERVER_OPTIONS, RequestGate } from "./http/request-gate.ts";
import { routes } from "./http/routes/index.ts";
import { HouseAgents } from "./live/house-agents.ts";
import { openLive } from "./live/live.ts";
import { openOwnedStore } from "./open-owned-store.ts";
import type { Parts } from "./parts.ts";
import type { Metrics, RateLimiter } from "./ports/system.ts";
import type { Versions } from "./ports/versions.ts";
import { AdminCommands } from "./services/operations/admin-commands.ts";
import { Retention } from "./services/operations/retention.ts";
import type { Services } from "./services/services.ts";
import { wireServices } from "./wire-services.ts";
import { attachSockets, isSocketUpgrade } from "./ws/attach-sockets.ts";

export type { App, AppOptions } from "./app-options.ts";

/** What changes while the process runs. */
interface ProcessState {
  publicUrl: string;
  isDraining: boolean;
}

/** How long the start waits for the node; the service listens already. */
const FIRST_HEAD_WAIT_MS = 1000;
const POLL_MS = { local: 250, public: 1000 };
/** The most unverified sessions that a start verifies. */
const VERIFIED_AT_START_MAX = 1000;

export async function startApp(options: AppOptions): Promise<App> {
  const { config, log } = options;
  const state: ProcessState = { publicUrl: config.publicUrl ?? "", isDraining: false };
  let isTakenOver = false;
  let abandon = (): void => {
    isTakenOver = true;
  };
  const { parts, standbyPort } = await openParts(options, state, () => abandon());
  const { store, live, clock } = parts;
  const { services, metrics, chainAudit } = wireServices(parts);

  options.onChainChanged?.(() => parts.chain.indexer.announceChange());
  // Before requests are accepted, so that those of players wait for their sessions.
  await live.prepareRecovery();
  live.start();
  if (parts.isLocal) await openDemoCycle(parts, services);
  const { transactions, retention: purge } = store.singletons;
  const adminCommands = new AdminCommands({
    ...{ store: store.operator, live: live.registry, writer: parts.chain.writer, clock, log },
    mayOrder: () => transactions.isHeld(),
  });
  adminCommands.start();
  const retention = new Retention({
    ...{ store: store.retention, clock, log },
    isIndexed: () => isIndexed(parts),
    mayRun: () => purge.isHeld(),
  });
  retention.start();
  chainAudit.start();

  const limiter = options.limiter ?? createLimiter(clock, parts.limitsOn);
  const gate = new RequestGate(limiter, config.trustProxy);
  let httpUrl = "";
  const mcp = createMcp(parts, () => httpUrl);
  const listener = serveHttp(parts, services, metrics, limiter);
  const server = createServer(
    { shouldUpgradeCallback: isSocketUpgrade, ...GATE_SERVER_OPTIONS },
    gate.wrap(mcp === null ? listener : mcp.wrap(listener)),
  );
  gate.attach(server);
  const sockets = serveSockets(parts, server, limiter);
  handleInvalidRequests(server);
  const port = await listen(server, {
    port: standbyPort ?? config.port,
    host: config.host,
    whenBusy: config.portIsSet ? "fail" : "next",
    portVariable: "ARCADE_PORT",
  });
  httpUrl = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
  if (state.publicUrl === "") state.publicUrl = httpUrl;
  resumeOpenWork(parts, services);
  const house = createHouseAgents(parts, services);
  await house?.start();
  // Where the node responds, `ready` is said when it has.
  await parts.chain.indexer.waitForHead(FIRST_HEAD_WAIT_MS);

  const stopGames = async (): Promise<void> => {
    await house?.stop();
    await live.drain();
  };
  const close = async ({ lingerMs = 0 } = {}): Promise<void> => {
    state.isDraining = true;
    // Other nodes go on with the games while this one still responds.
    const handOver = async (): Promise<void> => {
      await sockets.drain();
      if (store.node?.isShared) await stopGames();
    };
    await Promise.all([handOver(), lingerMs === 0 ? null : sleep(lingerMs)]);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await mcp?.stop();
    await retention.stop();
    await chainAudit.stop();
    await adminCommands.stop();
    await stopGames();
    await services.payouts.stop();
    await parts.livePlane.close();
    await parts.chain.close();
    await parts.worker.close();
    server.closeAllConnections();
    await closed;
    // After the last request, so that every accepted event is written.
    await services.telemetry.stop();
    await store.close();
  };
  // Its writes are rejected from now on: what is not stored belongs to the other backend.
  abandon = () => {
    close()
      .catch((error: unknown) => log.warn({ err: error }, "could not stop cleanly after another backend took over"))
      .finally(() => options.onTakenOver?.());
  };
  if (isTakenOver) abandon();
  return { httpUrl, wsUrl: httpUrl.replace(/^http/, "ws"), services, close };
}

/**
 * Opens store, chain, worker and the game server, when no other backend works on the database. Nothing runs yet but the
 * chain's indexer.
 */
async function openParts(
  options: AppOptions,
  state: ProcessState,
  onLost: () => void,
): Promise<{ readonly parts: Parts; readonly standbyPort: number | null }> {
  const { config, deployment, log, rpcUrl } = options;
  const { chainId, rewards } = deployment;
  const clock = options.clock ?? systemClock;
  const { getRules, moduleUrl, games } = options.gameList ?? gameList;
  const isLocal = isLocalChain(chainId);
  const { store, standbyPort } = await openOwnedStore(options, clock, onLost);
  const budget = new RequestBudget(clock, options.config.chainWaitMs);
  const chain = await openChain({
    rpcUrl,
    budget,
    deployment,
    store,
    clock,
    operatorKey: options.keys.operator,
    confirmations: config.confirmations,
    registries: { agents: config.agentRegistry, reputation: config.reputationRegistry },
    feeCap: config.feeCapGwei === null ? null : BigInt(config.feeCapGwei) * 10n ** 9n,
    pollMs: options.pollMs ?? (isLocal ? POLL_MS.local : POLL_MS.public),
    log,
  });
  const worker = openWorker({ log, gamesUrl: moduleUrl });
  const limitsOn = (config.rateLimits ?? (isLocal ? "off" : "on")) === "on";
  const { spectatorsMax, sessionsMax, disconnectPauseSeconds } = config;
  const settings = { spectatorsMax, sessionsMax, disconnectPauseSeconds, chainId, rewards, limitPerIp: limitsOn };
  const live = openLive({ store, clock, worker, getRules, settings, log });
  const livePlane = await openLivePlane({
    natsUrl: config.natsUrl,
    local: live.registry,
    deployment,
    sessions: store.sessions,
    getRules,
    slugs: games.map(({ slug }) => slug),
    clock,
    log,
  });
  const parts: Parts = {
    options,
    store,
    chain,
    budget,
    worker,
    live,
    livePlane,
    clock,
    isLocal,
    limitsOn,
    publicUrl: () => state.publicUrl,
    wsUrl: () => state.publicUrl.replace(/^http/, "ws"),
    draining: () => state.isDraining,
    setDraining: (isDraining) => {
      state.isDraining = isDraining;
    },
  };
  return { parts, standbyPort };
}

/** What kept responses are made of. */
function createVersions({ store, chain, livePlane, clock }: Parts): Versions {
  return {
    standings: () => store.standings.getVersion(),
    sessions: () => store.sessions.getVersion(),
    live: () => livePlane.plane.getVersion(),
    chain: () => {
      const { index } = chain;
      const { safe, final } = index.getFinality();
      return `${index.getRevision()} ${safe} ${final}`;
    },
    day: () => Math.floor(clock.nowMs() / DAY_MS),
  };
}

function serveHttp(parts: Parts, services: Services, metrics: Metrics, limiter: RateLimiter) {
  const { options, store, chain, budget, clock, isLocal, draining, publicUrl } = parts;
  return createHttpApp({
    routes,
    services,
    versions: createVersions(parts),
    limiter,
    idempotency: store.idempotency,
    clock,
    log: options.log,
    metrics,
    checkResponses: isLocal,
    draining,
    limitChainTime: async (work) => {
      await chain.index.waitForChanges();
      return await budget.run(work);
    },
    trustProxy: options.config.trustProxy,
    isLocal,
    deployment: options.deployment,
    publicUrl,
    rpcUrl: isLocal ? options.rpcUrl : null,
    browserRpcUrl: options.config.publicRpcUrl ?? (isLocal ? options.rpcUrl : null),
    webDir: options.webDir,
  });
}

/** The process of `/mcp`, which is on by default on the local chain only; null where it is off. */
function createMcp({ options, isLocal, publicUrl, draining }: Parts, baseUrl: () => string) {
  const { config } = options;
  if ((config.mcp ?? (isLocal ? "on" : "off")) === "off") return null;
  const mcpProcess = new McpProcess({ baseUrl, isLocal });
  const proxy = {
    getSocketPath: () => mcpProcess.getSocketPath(),
    origins: () => listOrigins(publicUrl(), config.authDomains ?? []),
    ...{ trustProxy: config.trustProxy, draining },
  };
  return { wrap: (next: RequestListener) => serveMcp(proxy, next), stop: () => mcpProcess.stop() };
}

/** The service's own agents; null where there are none. */
function createHouseAgents({ options, live, clock, isLocal }: Parts, { sessions }: Services): HouseAgents | null {
  const { config, log } = options;
  if ((config.houseAgents ?? (isLocal ? "on" : "off")) === "off") return null;
  const { games } = options.gameList ?? gameList;
  const open = (slug: string) => sessions.openHouse(slug);
  return new HouseAgents({ registry: live.registry, clock, games, sessionsMax: config.sessionsMax, open, log });
}

function serveSockets(
  { options, store, live, livePlane, clock, publicUrl }: Parts,
  server: Server,
  limiter: RateLimiter,
) {
  const { config, log } = options;
  const { games } = options.gameList ?? gameList;
  return attachSockets({
    server,
    live: livePlane.plane,
    findSession: (sessionId) => live.find(sessionId),
    isSlug: (slug) => games.some((game) => game.slug === slug),
    tokens: store.channelTokens,
    clock,
    originAllowed: (origin) => isAllowedOrigin(origin, listOrigins(publicUrl(), config.authDomains ?? [])),
    getIp: (request) => toIpKey(getClientAddress(request, config.trustProxy)),
    limiter,
    log,
  });
}

/** Whether the store has the chain's events up to the head. */
function isIndexed({ chain }: Parts): boolean {
  const { healthy, lagBlocks } = chain.indexer.status();
  return healthy && lagBlocks === 0;
}

async function openDemoCycle({ options }: Parts, { candidates }: Services): Promise<void> {
  await candidates
    .openDemoCycle()
    .catch((error: unknown) => options.log.warn({ err: error }, "the demonstration vote could not be opened"));
}

/** Continues what the last process left open, beside the requests: sessions, verifications and payouts. */
function resumeOpenWork({ options, store, live }: Parts, { payouts }: Services): void {
  const { log } = options;
  const resumeSessions = async (): Promise<void> => {
    await live.recover();
    for (const row of await store.sessions.listUnverified(VERIFIED_AT_START_MAX)) await live.verify(row);
  };
  resumeSessions().catch((error: unknown) => log.warn({ err: error }, "ended sessions could not be verified yet"));
  payouts.start();
}
