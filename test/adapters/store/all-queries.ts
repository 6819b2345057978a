/** Runs every query of the store, for tests of query plans. */

import type { Store } from "../../../backend/ports/store/store.ts";
import { PERIODS, RUN_SORTS, SORTS, toBoardKey } from "../../../domain/leaderboard.ts";
import { SORTINGS } from "../../../domain/market.ts";
import { PURGED_TABLES } from "../../../domain/retention.ts";
import { createSponsorshipBounds } from "../../../domain/sponsorship.ts";
import {
  ALICE,
  addSession,
  appendEvents,
  BASE_TIME_MS,
  BOB,
  createChainEvent,
  createChannelToken,
  createChunk,
  createId,
  createListing,
  createNonceRow,
  createPayoutRow,
  createSession,
  createSnapshotEvent,
  createTokens,
  createTransactionRow,
  endSession,
  storeEndedSession,
} from "./rows.ts";

const PAGE = { page: 1, limit: 25 };

/** Calls every method of the store at least once. */
export async function runAllQueries(store: Store): Promise<void> {
  const { auth, sessions, channelTokens, idempotency, identities, signings, chain, payouts, transactions } = store;
  const nonce = createNonceRow();
  await auth.addNonce(nonce);
  await auth.findNonce(nonce.nonce);
  await auth.consumeNonce(nonce.nonce, BASE_TIME_MS);
  const tokens = createTokens("family");
  await auth.addTokens(tokens);
  await auth.findAccessToken(tokens.access.tokenHash);
  await auth.findRefreshToken(tokens.refresh.tokenHash);
  await auth.rotateRefreshToken(tokens.refresh.tokenHash, "salt", BASE_TIME_MS, createTokens("family"));
  await auth.revoke({ familyId: "family" }, BASE_TIME_MS);
  await auth.revoke({ wallet: tokens.access.wallet }, BASE_TIME_MS);

  const session = createSession();
  const { sessionId, slug } = session;
  await sessions.add(session);
  await sessions.add(createSession());
  await sessions.record([createChunk(sessionId)]);
  await sessions.getRecording(sessionId);
  const row = await endSession(store, sessionId);
  await sessions.findByHash(row.gameSessionHash!);
  await sessions.setVerification(sessionId, "verified");
  await sessions.markPrepared(sessionId, { atMs: BASE_TIME_MS, signedUntilSeconds: 1 });
  await sessions.forfeitTier(sessionId, 1);
  await sessions.getForfeitedTier(ALICE, slug, "1");
  const node = { nodeId: "node", url: null, isExclusive: false };
  await store.nodes.register(node, 1);
  await store.nodes.renew(node.nodeId, 1);
  await store.nodes.listLive();
  await store.nodes.release(node.nodeId);
  await sessions.claimOpen();
  await sessions.listOpen();
  await sessions.listUnverified(10);
  await sessions.listPending(ALICE, slug, 1);
  await sessions.listPending(ALICE, null, 1);
  await sessions.findBest(ALICE, slug);
  await sessions.findBestOnChain(ALICE, slug, "1");
  for (const status of ["active", "ended", null] as const) {
    await sessions.listMine({ wallet: ALICE, slug, status, source: "agent_api", ...PAGE });
  }
  await sessions.listLive({ slug, ...PAGE });
  for (const sort of RUN_SORTS)
    for (const period of PERIODS)
      for (const agentId of ["1", null])
        await sessions.listRuns({ slug, sort, period, agentId, nowMs: BASE_TIME_MS, ...PAGE });

  await appendEvents(store, createSnapshotEvent(row), createChainEvent("Payout", { block: 12, score: 1n, amount: 1n }));
  await runAuditQueries(store, 12);
  await sessions.forfeit(sessionId, { atMs: BASE_TIME_MS, signedBeforeSeconds: 0 });
  await chain.getCursor();
  await chain.findBlock(10);
  await chain.findLastBlock(10);
  await chain.getScorebank(ALICE);
  await chain.listPayouts(ALICE, slug, PAGE);
  await chain.listPayouts(ALICE, null, PAGE);
  await chain.rewind(9);

  const token = createChannelToken();
  await channelTokens.add(token);
  await channelTokens.find(token.tokenHash);
  await channelTokens.consume(token.tokenHash, BASE_TIME_MS);
  const claim = {
    caller: ALICE,
    route: "r",
    key: "k",
    bodyHash: "h",
    status: null,
    body: null,
    createdAtMs: BASE_TIME_MS,
  };
  await idempotency.claim(claim);
  await idempotency.claim(claim);
  await idempotency.complete({ ...claim, status: 200 });
  await idempotency.release(claim);
  await identities.putMetadata({ digest: "d", bytes: "{}", atMs: BASE_TIME_MS, wallet: null });
  await identities.findMetadata("d");
  await identities.findProfile(ALICE);
  await store.chainFacts.listRegistrations(ALICE, "d.json");
  await store.chainFacts.findIdentity(1n);
  await store.chainFacts.findGameToken(slug, 1n);
  const profile = { agentName: "A", bio: "", links: [], image: null, services: [] };
  await identities.changeProfile(ALICE, { bio: "b" }, profile, BASE_TIME_MS);
  const counted = await storeEndedSession(store, { wallet: BOB }, { score: 5, endedAtMs: BASE_TIME_MS });
  await sessions.setVerification(counted.sessionId, "verified");
  const board = toBoardKey(slug, "all", BASE_TIME_MS);
  for (const sort of SORTS) {
    for (const hideZero of [true, false]) await store.standings.getPage({ board, sort, hideZero, ...PAGE });
  }
  await store.standings.getTotals(board);
  await store.standings.search({ board, text: "a", limit: 20 });
  await chain.getTotals({ block: 12, sinceSeconds: 0 });
  await store.telemetry.list({ afterEventId: null, limit: 1 });
  await store.newsletter.add({ email: "a@example.org", createdAtMs: BASE_TIME_MS });
  await store.newsletter.list({ afterEmail: null, limit: 1 });
  const listing = createListing();
  const { listingId } = listing;
  await store.listings.add(listing, BASE_TIME_MS);
  await store.listings.find(listingId);
  await store.listings.show(listingId, "0x00", BASE_TIME_MS, 1);
  for (const sinceMs of [BASE_TIME_MS, null]) await store.listings.setDeadSince([listingId], sinceMs);
  for (const collection of ["identity", null])
    for (const seller of [ALICE, null])
      for (const sorting of SORTINGS)
        await store.listings.listOffered({ collection, seller, sorting, nowMs: BASE_TIME_MS, ...PAGE });
  const check = { afterId: null, nowMs: BASE_TIME_MS, deadBeforeMs: BASE_TIME_MS, limit: 1 };
  await store.listings.listToCheck(check);
  for (const isFillable of [false, true]) await store.listings.setFillable([listingId], isFillable);
  await store.listings.listMine({ seller: ALICE, ...PAGE });
  await store.listings.hide(listingId);
  await signings.record({ kind: "k", key: "k", payloadHash: "0x", atMs: BASE_TIME_MS });
  await signings.record({ kind: "k", key: "k", payloadHash: "0x", atMs: BASE_TIME_MS });
  const payout = createPayoutRow();
  await payouts.open(payout);
  await payouts.find(payout.payoutId);
  await payouts.findOpen(ALICE);
  await payouts.listOpen();
  await payouts.advance(payout.payoutId, "pending", { status: "included" });
  await payouts.reopen(payout.payoutId, "included", BASE_TIME_MS);
  await payouts.summarizeOpen();
  await payouts.failUnsent(payout.payoutId, BASE_TIME_MS);
  await payouts.listUnsynced();
  await payouts.listUnsettled(ALICE);
  const transaction = createTransactionRow(0);
  await transactions.add(transaction);
  await transactions.find(transaction.id);
  await transactions.findByKeys([transaction]);
  await transactions.getLastNonce(ALICE);
  await transactions.countSince(ALICE, BASE_TIME_MS, 0);
  await transactions.countBetween(ALICE, 0, 1);
  await transactions.listUnsettled(ALICE);
  await transactions.listUnsettledOfOthers(ALICE);
  await transactions.listUnconfirmed(ALICE, 1);
  await transactions.summarizeUnsettled(ALICE);
  await transactions.markSent([transaction.id], BASE_TIME_MS);
  await transactions.noteRefusal(transaction.id, "nonce too low");
  await transactions.update(transaction.id, { status: "included" });
  await transactions.replace(transaction, { status: "included" });
  await transactions.settle(ALICE, 1, BASE_TIME_MS);
  await runRelayQueries(store);
  await runVotingQueries(store, listingId, sessionId);
  await runLeagueQueries(store, slug);
  for (const table of PURGED_TABLES) await store.retention.purge(table, BASE_TIME_MS, 5);
  await store.probe();
}

async function runRelayQueries({ transactions, relays, auth }: Store): Promise<void> {
  const row = createTransactionRow(1);
  const of = { day: 1, identity: "1", ip: "10.0.0.1", wallet: ALICE };
  const bounds = createSponsorshipBounds({ gasPerDay: 1, gasPerIdentity: 1, gasPerAddress: 1 });
  const relay = { ...of, relayId: "relay", kind: "nft", key: "key", gas: 1, createdAtMs: BASE_TIME_MS } as const;
  await transactions.addMany([row], [{ ...relay, transactionId: row.id, bounds }]);
  await relays.find("relay");
  await relays.findLatest(ALICE, "nft", "key");
  await relays.readDayTotals(of.day);
  await relays.readUsage(of);
  await auth.hasSignIn(ALICE, BASE_TIME_MS);
}

async function runVotingQueries(store: Store, listingId: `0x${string}`, sessionId: string): Promise<void> {
  const { voting, operator } = store;
  const stamp = () => ({ auditId: createId(), who: "tester", atMs: BASE_TIME_MS });
  const slug = "reef";
  await voting.addCandidate({ slug, title: "Reef", developer: "Coral", url: "https://example.org" }, stamp());
  await voting.moveCandidate(slug, { from: ["applied"], to: "approved", note: "fine" }, stamp());
  await voting.openCycle({ openingBlock: 1, opensAtMs: BASE_TIME_MS, closesAtMs: BASE_TIME_MS + 1 }, [slug], stamp());
  await voting.findCandidate(slug);
  await voting.listCandidates(null);
  await voting.listCandidates("voting");
  await voting.listCycleCandidates(1);
  await voting.findUnsettledCycle();
  await voting.findCycle(1);
  await voting.findLastCycle();
  const nonce = createNonceRow({ purpose: "vote" });
  await store.auth.addNonce(nonce);
  const vote = { gameSlug: slug, wallet: ALICE, cycleId: 1, voteSource: "human", agentId: null } as const;
  await voting.castVote({ ...vote, nonce: nonce.nonce, proof: "key", signature: "0x", castAtMs: BASE_TIME_MS });
  await voting.countVotes([slug]);
  await voting.listBallots(slug, PAGE);
  await voting.findQualifyingSession(ALICE, 10, "verified");
  await voting.closeCycle(() => [slug], stamp());
  await operator.listAudit({ subject: null, limit: 1 });
  await operator.listAudit({ subject: slug, limit: 1 });
  await operator.withholdScore(sessionId, "why", stamp());
  const running = await addSession(store, { slug: "flappybots" });
  await operator.requestSessionEnd(running.sessionId, "why", stamp());
  await operator.listOpenCommands();
  await operator.completeCommand(running.sessionId, BASE_TIME_MS);
  const order = stamp();
  await operator.orderTransaction("transaction", "cancel", order);
  await operator.findTransactionOrder(order.auditId);
  await operator.listOpenTransactionOrders();
  await operator.completeTransactionOrder(order.auditId, "cancelled", BASE_TIME_MS);
  await operator.hideListing(listingId, "why", stamp());
  await operator.restoreListing(listingId, "why", stamp());
}

async function runLeagueQueries({ league }: Store, slug: string): Promise<void> {
  const opened = { slug, opensAtMs: BASE_TIME_MS, closesAtMs: BASE_TIME_MS + 1, serverSeed: "0x01" } as const;
  await league.openFirst(opened);
  const season = (await league.findCurrent(slug))!;
  const policy = { slug, season: 1, wallet: ALICE, agentId: "1", text: "", digest: "0x02", bytes: 0 } as const;
  await league.submit({ ...policy, submittedAtMs: BASE_TIME_MS }, 1);
  await league.countPolicies(season);
  const thinking = { slug, season: 1, wallet: ALICE, agentId: "1", course: 1, score: 0 } as const;
  for (const [decisionCount, decisions] of [".1", ".1 .1"].entries())
    await league.decide(
      { ...thinking, decisions, decisionCount: decisionCount + 1 },
      { nowMs: BASE_TIME_MS, thinkersMax: 1 },
    );
  await league.findThinking(season, ALICE, 1);
  await league.listThinking(season);
  await league.listThinkers(season, 1);
  await league.findPolicy(season, ALICE);
  await league.listPolicies(season);
  await league.fixPolicies(season, season.closesAtMs);
  await league.setBlock(season, { number: 1, hash: "0x03" });
  await league.finish(season, { file: Buffer.from("round"), policies: 1, courses: 1, winner: ALICE }, opened);
  await league.listPlayed(slug, 1);
  await league.findRound(season);
}

/** Without those that read all events of a wallet or the chain, for an audit or an operator's command. */
async function runAuditQueries({ chainAudit }: Store, block: number): Promise<void> {
  await chainAudit.listWallets(null, 1);
  await chainAudit.countIdentities(block);
  await chainAudit.sumPaid(block, 0);
}
