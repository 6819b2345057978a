/** The HTTP server with its routes, sockets and `/mcp`. Part of the composition root. */
import { createServer, type RequestListener, type Server } from "node:http";
import { toIpKey } from "../../domain/limits/address-keys.ts";
import { isAllowedOrigin, toHttpUrl } from "../../domain/origins.ts";
import { normalizePath } from "../../domain/request-path.ts";
import { DAY_MS } from "../../domain/time.ts";
import { listen } from "../adapters/node/listen.ts";
import { McpProcess } from "../adapters/node/mcp-process.ts";
import { routes } from "../http/routes/index.ts";
import { createHttpApp } from "../http/server/app.ts";
import { handleInvalidRequests } from "../http/server/client-error.ts";
import { serveMcp } from "../http/server/mcp-proxy.ts";
import { serveStateOnly } from "../http/server/state-only.ts";
import { warnOfProxy } from "../http/server/untrusted-proxy.ts";
import type { Metrics, RateLimiter } from "../ports/system.ts";
import type { Versions } from "../ports/versions.ts";
import { openLimiter } from "../rate-limits/open-limiter.ts";
import { GATE_SERVER_OPTIONS, RequestGate } from "../rate-limits/request-gate.ts";
import { getClientAddress, OWN_PROCESS_KEY } from "../requests/client-address.ts";
import type { Services } from "../services/services.ts";
import { attachSockets, isSocketUpgrade, type Sockets } from "../ws/attach-sockets.ts";
import { getGames, hasRole, type Parts } from "./parts.ts";

export interface OpenedServer {
  readonly httpUrl: string;
  /** Closes the sockets before a stop. */
  drain(): Promise<void>;
  /** Accepts no new connections; resolves when the last one has ended. */
  close(): { readonly stopped: Promise<void>; readonly closed: Promise<void> };
  /** Ends the remaining connections, and those to the database that limit requests. */
  closeConnections(): Promise<void>;
}

/** Listens on the configured port, or on `standbyPort`. */
export async function openServer(
  parts: Parts,
  services: Services,
  metrics: Metrics,
  standbyPort: number | null,
): Promise<OpenedServer> {
  const { options, clock, limitsOn } = parts;
  const { config } = options;
  const { limiter, close: closeLimiter } = await openLimiter({ ...config, clock, limitsOn, limiter: options.limiter });
  let httpUrl = "";
  const mcp = createMcp(parts, () => httpUrl);
  const { server, sockets } = createAppServer(parts, { services, metrics }, { limiter, mcp });
  const port = await listen(server, {
    port: standbyPort ?? config.port,
    host: config.host,
    whenBusy: config.portIsSet ? "fail" : "next",
    portVariable: "ARCADE_PORT",
  });
  httpUrl = toHttpUrl(config.host, port);
  return {
    httpUrl,
    drain: () => sockets.drain(),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      return { closed, stopped: mcp?.stop() ?? Promise.resolve() };
    },
    async closeConnections() {
      server.closeAllConnections();
      await closeLimiter();
    },
  };
}

/** The server with everything that it serves; it does not listen yet. `mcp`: null if `/mcp` is off. */
export function createAppServer(
  parts: Parts,
  { services, metrics }: { readonly services: Services; readonly metrics: Metrics },
  { limiter, mcp }: { readonly limiter: RateLimiter; readonly mcp: ReturnType<typeof createMcp> },
): { readonly server: Server; readonly sockets: Sockets } {
  const { config } = parts.options;
  const gate = new RequestGate({ limiter, clock: parts.clock, trustProxy: config.trustProxy });
  const api = serveHttp(parts, { services, metrics }, { limiter, gate });
  const listener = hasRole(parts, "api") ? api.listener : serveStateOnly(config.roles, api.listener);
  const serve = mcp === null ? listener : mcp.wrap(listener);
  const server = createServer(
    {
      shouldUpgradeCallback: isSocketUpgrade,
      keepAliveTimeout: config.keepAliveSeconds * 1000,
      ...GATE_SERVER_OPTIONS,
    },
    gate.wrap((request, response) => {
      request.url = normalizePath(request.url ?? "/");
      serve(request, response);
    }),
  );
  gate.attach(server);
  if (limiter.enabled) warnOfProxy(server, config.trustProxy, parts.options.log);
  api.prepareWhenListening(server);
  const sockets = serveSockets(parts, server, { limiter, gate });
  handleInvalidRequests(server);
  return { server, sockets };
}

/** The versions of the facts that cached responses depend on. */
function createVersions({ store, chain, livePlane, clock }: Parts): Versions {
  return {
    standings: () => store.facts.getVersion("standings"),
    runs: () => store.facts.getVersion("runs"),
    league: () => store.facts.getVersion("league"),
    live: () => livePlane.plane.getVersion(),
    chain: () => {
      const { index } = chain;
      const { safe, final } = index.getFinality();
      return `${index.getRevision()} ${safe} ${final}`;
    },
    day: () => Math.floor(clock.nowMs() / DAY_MS),
  };
}

interface Admission {
  readonly limiter: RateLimiter;
  readonly gate: RequestGate;
}

function serveHttp(
  parts: Parts,
  { services, metrics }: { readonly services: Services; readonly metrics: Metrics },
  { limiter, gate }: Admission,
) {
  const { options, store, chain, budget, clock, isLocal, draining, publicUrl } = parts;
  return createHttpApp({
    routes,
    services,
    versions: createVersions(parts),
    isStoreAway: () => store.node?.isHeld() === false,
    limiter,
    idempotency: store.idempotency,
    index: chain.index,
    clock,
    log: options.log,
    metrics,
    checkResponses: isLocal,
    draining,
    limitChainTime: async (ip, work) => {
      await chain.index.waitForChanges();
      return await budget.run(ip, work);
    },
    admitPlayer: (request) => {
      gate.admitPlayer(request);
      budget.admitPlayer();
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

/** The process of `/mcp`, on by default only on the local chain; null if it is off. */
function createMcp(parts: Parts, baseUrl: () => string) {
  const { options, isLocal, ownOrigins, draining } = parts;
  const { config } = options;
  if (!hasRole(parts, "api") || (config.mcp ?? (isLocal ? "on" : "off")) === "off") return null;
  const { dataDir, leagueSeasonHours } = config;
  const hasLeague = leagueSeasonHours > 0;
  const mcpProcess = new McpProcess({ baseUrl, isLocal, hasLeague, ownKey: OWN_PROCESS_KEY, dataDir });
  const proxy = {
    getSocketPath: () => mcpProcess.getSocketPath(),
    origins: ownOrigins,
    allowsPrivateNames: config.publicUrl === null,
    trustProxy: config.trustProxy,
    draining,
  };
  return { wrap: (next: RequestListener) => serveMcp(proxy, next), stop: () => mcpProcess.stop() };
}

function serveSockets(parts: Parts, server: Server, { limiter, gate }: Admission) {
  const { options, store, live, livePlane, clock, ownOrigins } = parts;
  const { config, log } = options;
  const games = getGames(parts);
  return attachSockets({
    server,
    gate,
    live: livePlane.plane,
    findSession: (sessionId) => live.find(sessionId),
    roles: config.roles,
    isSlug: (slug) => games.some((game) => game.slug === slug),
    tokens: store.channelTokens,
    clock,
    originAllowed: (origin) => isAllowedOrigin(origin, ownOrigins),
    getIp: (request) => toIpKey(getClientAddress(request, config.trustProxy)),
    limiter,
    log,
  });
}
