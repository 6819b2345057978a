/** The fuse box: with `app/` the one place that sees every room and wires them together. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { openChain } from "./adapters/chain/open-chain.ts";
import { systemClock } from "./adapters/clock.ts";
import { makeLimiter } from "./adapters/limiter/memory.ts";
import { openStore } from "./adapters/store/index.ts";
import { openWorker } from "./adapters/worker/index.ts";
import type { App, AppOptions } from "./app/options.ts";
import { wireServices } from "./app/services.ts";
import { LOCAL_CHAIN_ID } from "./config/dev-keys.ts";
import { gameList } from "./games/index.ts";
import { makeHttpApp } from "./http/app.ts";
import { ipKey } from "./http/door.ts";
import { listen } from "./http/listen.ts";
import { routes } from "./http/routes/index.ts";
import { openLive } from "./runtime/open-live.ts";
import { makeOrders } from "./services/orders.ts";
import { attachSockets, isSocketUpgrade } from "./ws/attach.ts";
import { forwardedAddress } from "./ws/strangers.ts";

export type { App, AppOptions } from "./app/options.ts";

export async function startApp(options: AppOptions): Promise<App> {
  const { config, deployment, log } = options;
  const clock = options.clock ?? systemClock;
  const { games, rulesOf, moduleUrl } = options.gameList ?? gameList;
  const isLocal = deployment.chainId === LOCAL_CHAIN_ID;
  const store = await openStore({ databaseUrl: config.databaseUrl });
  const chain = await openChain({
    rpcUrl: options.rpcUrl,
    deployment,
    store,
    clock,
    operatorKey: options.keys.operator,
    confirmations: config.confirmations,
    pollMs: options.pollMs ?? (isLocal ? 250 : 1000),
    log,
  });
  const worker = openWorker({ log, gamesUrl: moduleUrl });
  const runtime = openLive({
    store,
    clock,
    worker,
    rulesOf,
    settings: { spectatorsMax: config.spectatorsMax, chainId: deployment.chainId, rewards: deployment.rewards },
    log,
  });
  let publicUrl = config.publicUrl ?? "";
  let draining = false;
  const limitsOn = (config.rateLimits ?? (isLocal ? "off" : "on")) === "on";
  const { services, metrics } = wireServices({
    options,
    store,
    chain,
    worker,
    runtime,
    clock,
    isLocal,
    limitsOn,
    publicUrl: () => publicUrl,
    draining: () => draining,
  });

  // Before the doors open: whoever was playing finds the session as it was.
  await runtime.recover();
  runtime.start();
  if (isLocal) {
    await services.voting
      .openDemonstration()
      .catch((fault: unknown) => log.warn({ err: fault }, "the demonstration vote could not be opened"));
  }
  const orders = makeOrders({ store: store.operator, live: runtime.live, clock, log });
  orders.start();

  const app = makeHttpApp({
    routes,
    services,
    limiter: makeLimiter(clock, limitsOn),
    idempotency: store.idempotency,
    clock,
    log,
    metrics,
    checkResponses: isLocal,
    draining: () => draining,
    trustProxy: config.trustProxy,
    isLocal,
    webDir: options.webDir,
  });
  const server = createServer({ shouldUpgradeCallback: isSocketUpgrade }, app);
  const sockets = attachSockets({
    server,
    live: runtime.live,
    findSession: runtime.find,
    isSlug: (slug) => games.some((game) => game.slug === slug),
    tokens: store.channelTokens,
    clock,
    originAllowed: (origin) =>
      URL.canParse(origin) &&
      [publicUrl, ...(config.authDomains ?? [])].some((known) => known === origin || known === new URL(origin).host),
    ipOf: (request) => ipKey(forwardedAddress(request, config.trustProxy)),
    limitPerIp: limitsOn,
    log,
  });
  const port = await listen(server, { port: config.port, host: config.host, insist: config.portIsSet });
  const httpUrl = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
  if (publicUrl === "") publicUrl = httpUrl;

  void (async () => {
    for (const row of await store.sessions.listUnverified(1000)) await runtime.verify(row);
  })().catch((fault: unknown) => log.warn({ err: fault }, "ended sessions could not be verified yet"));
  void services.payouts
    .resume()
    .catch((fault: unknown) => log.warn({ err: fault }, "open payouts could not go on yet"));

  return {
    httpUrl,
    wsUrl: httpUrl.replace(/^http/, "ws"),
    services,
    close: async ({ lingerMs = 0 } = {}) => {
      draining = true;
      await Promise.all([sockets.drain(), lingerMs === 0 ? null : sleep(lingerMs)]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await orders.stop();
      await runtime.drain();
      await chain.close();
      await worker.close();
      server.closeAllConnections();
      await closed;
      // After the last request: what was accepted is written.
      await services.telemetry.stop();
      await store.close();
    },
  };
}
