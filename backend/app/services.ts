/** Every service with the ports it needs; what they share is made once, above them. */
import type { Chain } from "../adapters/chain/open-chain.ts";
import { countSignatures, makeMetrics } from "../adapters/metrics.ts";
import { createSigners } from "../adapters/signer/index.ts";
import { gameList } from "../games/index.ts";
import { makeDocuments } from "../http/docs.ts";
import { exampleAnswer } from "../http/openapi-operation.ts";
import { routes } from "../http/routes/index.ts";
import type { Clock, Metrics, Store, Worker } from "../ports.ts";
import type { Live } from "../runtime/open-live.ts";
import { makeAuth } from "../services/auth.ts";
import { makeCatalog } from "../services/catalog.ts";
import { makeChannelTokens } from "../services/channel-tokens.ts";
import { makeExplain } from "../services/explain.ts";
import { makeFaucet } from "../services/faucet.ts";
import { makeIdentity } from "../services/identity.ts";
import { makeInstructions } from "../services/instructions.ts";
import { makeLeaderboard } from "../services/leaderboard.ts";
import { makeMarket } from "../services/market.ts";
import { makeMetadata } from "../services/metadata.ts";
import { makeNewsletter } from "../services/newsletter.ts";
import { makeNft } from "../services/nft.ts";
import { makeOperations } from "../services/operations.ts";
import { makeSignerCheck } from "../services/operations-signers.ts";
import { makePayouts } from "../services/payouts.ts";
import { makeProfiles } from "../services/profiles.ts";
import { makeRewards } from "../services/rewards.ts";
import type { Services } from "../services/services.ts";
import { makeSessions } from "../services/sessions.ts";
import { makeSignedCalls } from "../services/signed-call.ts";
import { makeStats } from "../services/stats.ts";
import { makeTelemetry } from "../services/telemetry.ts";
import { makeVoting } from "../services/voting.ts";
import type { AppOptions } from "./options.ts";

/** The opened parts and the facts that services are wired from. */
export interface Parts {
  readonly options: AppOptions;
  readonly store: Store;
  readonly chain: Chain;
  readonly worker: Worker;
  readonly runtime: Live;
  readonly clock: Clock;
  readonly isLocal: boolean;
  readonly limitsOn: boolean;
  readonly publicUrl: () => string;
  readonly draining: () => boolean;
}

/** How long an answer waits for the follower to reach the chain's head. */
const FRESHEN_MS = 2000;
/** Ten blocks of the slowest network that is supported. */
const HEAD_AGE_MAX_SECONDS = 120;

export function wireServices(parts: Parts): { readonly services: Services; readonly metrics: Metrics } {
  const { options, store, chain, worker, runtime, clock, isLocal, limitsOn, publicUrl, draining } = parts;
  const { config, keys, log, rpcUrl } = options;
  const { games } = options.gameList ?? gameList;
  const { reader, writer, follower } = chain;
  const wsUrl = (): string => publicUrl().replace(/^http/, "ws");
  const freshen = async (): Promise<void> => {
    const head = await reader.head().catch(() => null);
    if (head !== null) await follower.caughtUp(head.number, FRESHEN_MS);
  };

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
    publicUrl,
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
        publicUrl,
        domains: () => config.authDomains ?? [new URL(publicUrl()).host],
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
      publicUrl,
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
      publicUrl,
      wsUrl,
      rpcUrl: () => (isLocal ? rpcUrl : null),
    }),
    leaderboard: makeLeaderboard({ store: store.standings, clock }),
    metadata: makeMetadata({
      store: store.identities,
      chain: reader,
      catalog,
      identity,
      publicUrl,
      wsUrl,
    }),
    newsletter: makeNewsletter({ store: store.newsletter, clock }),
    profiles: makeProfiles({ store: store.identities, chain: reader, clock, identity, publicUrl }),
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
      draining,
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
    market: makeMarket({ store: store.listings, chain: reader, market: chain.market, catalog, worker, clock }),
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
  return { services, metrics };
}
