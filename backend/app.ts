/** The fuse box: the one file that sees every room and wires them together. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { openChain } from "./adapters/chain/open-chain.ts";
import { systemClock } from "./adapters/clock.ts";
import { makeLimiter } from "./adapters/limiter/memory.ts";
import { countSignatures, makeMetrics } from "./adapters/metrics.ts";
import { createSigners, type SignerKeys } from "./adapters/signer/index.ts";
import { openStore } from "./adapters/store/index.ts";
import { openWorker } from "./adapters/worker/index.ts";
import type { Config } from "./config/config.ts";
import { LOCAL_CHAIN_ID } from "./config/dev-keys.ts";
import { type GameList, gameList } from "./games/index.ts";
import { makeHttpApp } from "./http/app.ts";
import { makeDocuments } from "./http/docs.ts";
import { listen } from "./http/listen.ts";
import { exampleAnswer } from "./http/openapi-operation.ts";
import { routes } from "./http/routes/index.ts";
import type { Address, Clock, Deployment, Hex, Log } from "./ports.ts";
import { openLive } from "./runtime/open-live.ts";
import { makeAuth } from "./services/auth.ts";
import { makeCatalog } from "./services/catalog.ts";
import { makeChannelTokens } from "./services/channel-tokens.ts";
import { makeExplain } from "./services/explain.ts";
import { makeFaucet } from "./services/faucet.ts";
import { makeIdentity } from "./services/identity.ts";
import { makeInstructions } from "./services/instructions.ts";
import { makeLeaderboard } from "./services/leaderboard.ts";
import { makeMarket } from "./services/market.ts";
import { makeMetadata } from "./services/metadata.ts";
import { makeNewsletter } from "./services/newsletter.ts";
import { makeNft } from "./services/nft.ts";
import { makeOperations } from "./services/operations.ts";
import { makeSignerCheck } from "./services/operations-signers.ts";
import { makeOrders } from "./services/orders.ts";
import { makePayouts } from "./services/payouts.ts";
import { makeProfiles } from "./services/profiles.ts";
import { makeRewards } from "./services/rewards.ts";
import type { Services } from "./services/services.ts";
import { makeSessions } from "./services/sessions.ts";
import { makeSignedCalls } from "./services/signed-call.ts";
import { makeStats } from "./services/stats.ts";
import { makeTelemetry } from "./services/telemetry.ts";
import { makeVoting } from "./services/voting.ts";
import { attachSockets, isSocketUpgrade } from "./ws/attach.ts";

export interface AppOptions {
  readonly config: Config;
  readonly keys: SignerKeys & { readonly operator: Hex };
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly log: Log;
  /** Folder of the built viewer, null where there is none. */
  readonly webDir: string | null;
  readonly clock?: Clock;
  /** Gives development ether; null on every chain but the local one. */
  readonly faucet?: ((address: Address, wei: bigint) => Promise<Hex>) | null;
  readonly pollMs?: number;
  /** The games to serve, the built-in ones when left out. */
  readonly gameList?: GameList;
}

export interface App {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly services: Services;
  /**
   * Refuses new work, ends sockets, stores everything and lets go of chain and store. For `lingerMs` the door still
   * answers (`/readyz` with 503, writes with `SHUTTING_DOWN`), so that whoever sends traffic here sees it stop.
   */
  close(options?: { readonly lingerMs?: number }): Promise<void>;
}

/** How long an answer waits for the follower to reach the chain's head. */
const FRESHEN_MS = 2000;
/** Ten blocks of the slowest network that is supported. */
const HEAD_AGE_MAX_SECONDS = 120;

export async function startApp(options: AppOptions): Promise<App> {
  const { config, keys, deployment, log, rpcUrl } = options;
  const clock = options.clock ?? systemClock;
  const { games, rulesOf, moduleUrl } = options.gameList ?? gameList;
  const isLocal = deployment.chainId === LOCAL_CHAIN_ID;
  const store = await openStore({ databaseUrl: config.databaseUrl });
  const chain = await openChain({
    rpcUrl,
    deployment,
    store,
    clock,
    operatorKey: keys.operator,
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
  const { reader, writer, follower } = chain;

  let publicUrl = config.publicUrl ?? "";
  let draining = false;
  const wsUrl = (): string => publicUrl.replace(/^http/, "ws");
  const freshen = async (): Promise<void> => {
    const head = await reader.head().catch(() => null);
    if (head !== null) await follower.caughtUp(head.number, FRESHEN_MS);
  };
  const limitsOn = (config.rateLimits ?? (isLocal ? "off" : "on")) === "on";

  const sources = {
    games: () => games.map(({ slug }) => ({ slug, ...runtime.live.totals(slug) })),
    live: runtime.stats,
    chain: () => follower.status(),
  };
  const metrics = makeMetrics({ ...sources, checks: async () => (await services.operations.readiness()).checks });
  const signers = countSignatures(createSigners(keys), metrics);
  runtime.onEnded(({ slug, source, endReason }) =>
    metrics.countSessionEnd({ slug, source, endReason: endReason ?? "none" }),
  );
  const signedCall = makeSignedCalls({
    signings: store.signings,
    signers,
    chain: reader,
    clock,
    log,
  });
  const catalog = makeCatalog({
    games,
    chain: reader,
    tickHz: config.tickHz,
    spectatorsMax: config.spectatorsMax,
    wsUrl,
  });
  const identity = makeIdentity({
    store: store.identities,
    chain: reader,
    clock,
    signedCall,
    publicUrl: () => publicUrl,
  });
  const channelTokens = makeChannelTokens({
    store: store.channelTokens,
    live: runtime.live,
    clock,
    catalog,
    limitSeatsPerIp: limitsOn,
  });
  const nft = makeNft({ store: store.sessions, chain: reader, catalog, signedCall, freshen });
  const services: Services = {
    auth: makeAuth({
      store: store.auth,
      clock,
      worker,
      chain: reader,
      identity,
      settings: {
        publicUrl: () => publicUrl,
        domains: () => config.authDomains ?? [new URL(publicUrl).host],
        accessTtlSeconds: config.accessTtlSeconds,
        refreshTtlSeconds: config.refreshTtlSeconds,
        allowErc1271: config.allowErc1271,
      },
    }),
    catalog,
    channelTokens,
    documents: makeDocuments({
      routes,
      isLocal,
      slugs: games.map(({ slug }) => slug),
      publicUrl: () => publicUrl,
      wsUrl,
    }),
    explain: isLocal ? makeExplain({ chain: reader, worker }) : null,
    faucet: options.faucet ? makeFaucet({ fund: options.faucet }) : null,
    identity,
    instructions: makeInstructions({
      routes: routes.filter((route) => isLocal || !route.localOnly),
      exampleAnswer: (name) => exampleAnswer(routes.find((route) => route.name === name)!),
      catalog,
      chain: reader,
      publicUrl: () => publicUrl,
      wsUrl,
      rpcUrl: () => (isLocal ? rpcUrl : null),
    }),
    leaderboard: makeLeaderboard({ store: store.standings, clock }),
    metadata: makeMetadata({
      store: store.identities,
      chain: reader,
      catalog,
      identity,
      publicUrl: () => publicUrl,
      wsUrl,
    }),
    newsletter: makeNewsletter({ store: store.newsletter, clock }),
    profiles: makeProfiles({ store: store.identities, chain: reader, clock, identity, publicUrl: () => publicUrl }),
    stats: makeStats({
      standings: store.standings,
      chainStore: store.chain,
      chain: reader,
      live: runtime.live,
      slugs: games.map(({ slug }) => slug),
      freshen,
    }),
    telemetry: makeTelemetry({ store: store.telemetry, clock, log }),
    nft,
    operations: makeOperations({
      store,
      chain: reader,
      clock,
      draining: () => draining,
      signerFault: makeSignerCheck({ chain: reader, signers, operator: writer.operator, clock }),
      headAgeMaxSeconds: isLocal ? null : HEAD_AGE_MAX_SECONDS,
      sources,
      metrics,
      metricsHost: config.metricsHost,
    }),
    payouts: makePayouts({ store: store.payouts, chainStore: store.chain, chain: reader, writer, clock, log, freshen }),
    rewards: makeRewards({
      sessions: store.sessions,
      chainStore: store.chain,
      chain: reader,
      clock,
      signedCall,
      verify: runtime.verify,
      freshen,
    }),
    sessions: makeSessions({
      store: store.sessions,
      live: runtime.live,
      chain: reader,
      clock,
      log,
      catalog,
      identity,
      nft,
      channelTokens,
      spectatorsMax: config.spectatorsMax,
      outageMs: () => follower.status().outageMs,
      freshen,
    }),
    market: makeMarket({ store: store.listings, chain: reader, market: chain.market, catalog, clock }),
    voting: makeVoting({
      store: store.voting,
      nonces: store.auth,
      chain: reader,
      worker,
      clock,
      verify: runtime.verify,
      isLocal,
      allowErc1271: config.allowErc1271,
    }),
  };

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
