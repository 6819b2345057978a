/** Creates every service with the ports that it needs, feature by feature. Part of the composition root. */

import { hashJson } from "../adapters/signer/keccak.ts";
import type { SignerSet } from "../adapters/signer/signers.ts";
import type { SessionStarts } from "../ports/live.ts";
import type { Metrics, Signers } from "../ports/system.ts";
import { Auth } from "../services/auth/auth.ts";
import { ChannelTokens } from "../services/auth/channel-tokens.ts";
import { TypedDataExplainer } from "../services/dev/explain.ts";
import { Identity } from "../services/identity/identity.ts";
import { Profiles } from "../services/identity/profiles.ts";
import { League } from "../services/league/league.ts";
import { Thinking } from "../services/league/thinking.ts";
import { Fillability } from "../services/market/fillability.ts";
import { Listings } from "../services/market/listings.ts";
import { Market } from "../services/market/market.ts";
import { Metadata } from "../services/metadata/metadata.ts";
import { Nft } from "../services/nft/nft.ts";
import type { ChainAudit } from "../services/operations/chain-audit.ts";
import { Pictures } from "../services/pictures/pictures.ts";
import type { Services } from "../services/services.ts";
import { Catalog } from "../services/sessions/catalog.ts";
import { Gates } from "../services/sessions/gates.ts";
import { Replays } from "../services/sessions/replays.ts";
import { SessionOpener } from "../services/sessions/session-opener.ts";
import { Sessions } from "../services/sessions/sessions.ts";
import { SignedCalls } from "../services/signed-calls.ts";
import { Stats } from "../services/stats/stats.ts";
import { Telemetry } from "../services/stats/telemetry.ts";
import { Candidates } from "../services/voting/candidates.ts";
import { VoterEligibility } from "../services/voting/voter-eligibility.ts";
import { Voting } from "../services/voting/voting.ts";
import { getGames, getSlugs, hasRole, type Parts } from "./parts.ts";
import { wireConsole, wireOperations } from "./wire-operations.ts";
import { wireRelays, wireRewards } from "./wire-rewards.ts";

export function wireServices(parts: Parts): {
  readonly services: Services;
  readonly metrics: Metrics;
  readonly chainAudit: ChainAudit;
  readonly signerSet: SignerSet;
} {
  const telemetry = new Telemetry({ store: parts.store.telemetry, clock: parts.clock, log: parts.options.log });
  const { signers, signerSet, metrics, operations, chainAudit } = wireOperations(parts, telemetry);
  const catalog = wireCatalog(parts);
  const signedCalls = wireSignedCalls(parts, signers);
  const accounts = wireAccounts(parts, catalog, signedCalls);
  const relays = wireRelays(parts, accounts.identity);
  const sessions = wireSessions(parts, catalog, accounts.identity, signedCalls);
  const services: Services = {
    catalog,
    pictures: new Pictures({ ...sessions, catalog, drawer: parts.pictures }),
    operations,
    telemetry,
    ...accounts,
    ...relays,
    ...sessions,
    ...wireRewards(parts, signedCalls),
    ...wireMarket(parts, catalog),
    ...wireLeague(parts, accounts.identity),
    ...wireVoting(parts),
    ...wireStats(parts),
    ...wireDevelopmentTools(parts),
    ...wireConsole(parts),
  };
  return { services, metrics, chainAudit, signerSet };
}

function wireCatalog(parts: Parts): Catalog {
  const { options, chain, wsUrl } = parts;
  const { tickHz, spectatorsMax, disconnectPauseSeconds } = options.config;
  const settings = { tickHz, spectatorsMax, disconnectPauseSeconds };
  return new Catalog({ games: getGames(parts), chain: chain.reader, ...settings, wsUrl });
}

function wireSignedCalls({ options, store, chain, clock }: Parts, signers: Signers): SignedCalls {
  const { signings } = store;
  return new SignedCalls({ signings, signers, hashJson, chain: chain.reader, clock, log: options.log });
}

/** Sign-in, identities, profiles, and the documents that tokens point to. */
function wireAccounts(parts: Parts, catalog: Catalog, signedCalls: SignedCalls) {
  const { options, store, clock, worker, publicUrl, ownOrigins, wsUrl } = parts;
  const { config } = options;
  const { reader: chain, facts, index } = parts.chain;
  const identity = new Identity({
    store: store.identities,
    registrations: store.chainFacts,
    chain,
    facts,
    index,
    clock,
    signedCalls,
    publicUrl,
  });
  const auth = new Auth({
    store: store.auth,
    clock,
    worker,
    chain,
    identity,
    live: parts.livePlane.plane,
    settings: {
      publicUrl,
      origins: ownOrigins,
      accessTtlSeconds: config.accessTtlSeconds,
      refreshTtlSeconds: config.refreshTtlSeconds,
      allowErc1271: config.allowErc1271,
    },
  });
  const profiles = new Profiles({ store: store.identities, chain: facts, clock, identity, publicUrl });
  const metadata = new Metadata({ store: store.identities, chain: facts, catalog, identity, publicUrl, wsUrl });
  return { auth, identity, profiles, metadata };
}

/** Game sessions with their channel tokens, gates and NFTs. */
function wireSessions(parts: Parts, catalog: Catalog, identity: Identity, signedCalls: SignedCalls) {
  const { options, clock, limitsOn } = parts;
  const { reader: chain, facts, index, indexer } = parts.chain;
  const { plane: live } = parts.livePlane;
  const { sessions: store, channelTokens: tokenStore } = parts.store;
  const channelTokens = new ChannelTokens({
    store: tokenStore,
    live,
    clock,
    catalog,
    identity,
    limitSeatsPerIp: limitsOn,
  });
  const nft = new Nft({ store, chain, facts, identity, index, catalog, signedCalls, clock });
  const sessions = new Sessions({
    store,
    live,
    starts: wireStarts(parts, catalog),
    index,
    clock,
    catalog,
    identity,
    gates: new Gates({ store, facts, index, clock, log: options.log, nft }),
    channelTokens,
    spectatorsMax: options.config.spectatorsMax,
    isTest: getTestSessions(parts) !== undefined,
    outageMs: () => indexer.status().outageMs,
  });
  const replays = new Replays({ store, sessions, chain, clock, worker: parts.worker });
  return { channelTokens, nft, replays, sessions };
}

/** On the local chain only. */
const getTestSessions = ({ isLocal, options }: Parts) => (isLocal ? options.testSessions : undefined);

/** Starts sessions in this process if this node runs games, otherwise on a node that does. */
function wireStarts(parts: Parts, catalog: Catalog): SessionStarts {
  const { store, livePlane, clock } = parts;
  const { plane: live, starts } = livePlane;
  if (!hasRole(parts, "live") && starts !== null) return starts;
  const testSessions = getTestSessions(parts);
  const opener = new SessionOpener({ store: store.sessions, live, clock, catalog, testSessions });
  starts?.serve(opener);
  return opener;
}

function wireMarket({ store, chain, clock, worker }: Parts, catalog: Catalog) {
  const { reader, index, market: seaport } = chain;
  const getHead = async () => index.getHead() ?? (await reader.getHead());
  const fillability = new Fillability({ chain: { getHead }, market: seaport, worker, clock });
  const shared = { store: store.listings, catalog, fillability, clock };
  const listings = new Listings(shared);
  // In the background, so that a later read finds the listings checked for this block.
  index.onIndexed(() => void listings.check().catch(() => undefined));
  return { market: new Market({ ...shared, chain: reader, market: seaport }), listings };
}

function wireVoting({ options, store, chain, clock, worker, live, isLocal }: Parts) {
  const shared = { store: store.voting, chain: chain.reader, clock };
  const candidates = new Candidates(shared);
  const voting = new Voting({
    ...shared,
    nonces: store.auth,
    worker,
    candidates,
    eligibility: new VoterEligibility({ ...shared, chain: chain.facts, verify: (row) => live.verify(row), isLocal }),
    allowErc1271: options.config.allowErc1271,
  });
  return { candidates, voting };
}

function wireLeague(parts: Parts, identity: Identity) {
  const { options, store, clock, policies: runner } = parts;
  const shared = { store: store.league, identity, clock };
  const league = new League({ ...shared, runner, seasonHours: options.config.leagueSeasonHours });
  return { league, thinking: new Thinking({ ...shared, league, games: getGames(parts) }) };
}

function wireStats(parts: Parts) {
  const { store, chain, livePlane, clock } = parts;
  const stats = new Stats({
    standings: store.standings,
    newsletter: store.newsletter,
    chainStore: store.chain,
    chain: chain.facts,
    index: chain.index,
    live: livePlane.plane,
    clock,
    slugs: getSlugs(parts),
  });
  return { stats };
}

/** Null on every chain but the local one. */
function wireDevelopmentTools({ options, chain, worker, isLocal }: Parts) {
  return {
    explain: isLocal ? new TypedDataExplainer({ chain: chain.reader, worker }) : null,
    faucet: options.faucet ?? null,
  };
}
