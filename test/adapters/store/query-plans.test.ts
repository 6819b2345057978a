import Database from "better-sqlite3";
import { expect } from "chai";
import { openStore } from "../../../backend/adapters/store/index.ts";
import { boardOf, SORTS } from "../../../backend/domain/leaderboard.ts";
import type { Store } from "../../../backend/ports.ts";
import {
  ALICE,
  BOB,
  chainEvent,
  channelToken,
  endedSession,
  freshId,
  hashFor,
  mine,
  newListing,
  newSession,
  newTokens,
  nonceRow,
  payoutRow,
  play,
  snapshotOf,
  T0,
  transactionRow,
} from "./rows.ts";
import { makeFolder } from "./suite.ts";

const PAGE = { page: 1, limit: 25 };

/** Calls every method of the store at least once. */
async function useEverything(store: Store): Promise<void> {
  const { auth, sessions, channelTokens, idempotency, identities, signings, chain, payouts, transactions } = store;
  const nonce = nonceRow();
  await auth.addNonce(nonce);
  await auth.findNonce(nonce.nonce);
  await auth.useNonce(nonce.nonce, T0);
  const tokens = newTokens("family");
  await auth.addTokens(tokens);
  await auth.findAccessToken(tokens.access.tokenHash);
  await auth.findRefreshToken(tokens.refresh.tokenHash);
  await auth.rotate(tokens.refresh.tokenHash, "salt", T0, newTokens("family"));
  await auth.revokeFamily("family", T0);

  const session = newSession();
  const { sessionId, slug } = session;
  await sessions.add(session);
  await sessions.add(newSession());
  await sessions.record([{ sessionId, tick: 1, score: 1, phase: "running", inputs: [[1, 1]], stateDigests: [] }]);
  await sessions.recording(sessionId);
  const row = await sessions.end(endedSession(sessionId), hashFor(sessionId));
  await sessions.findByHash(row.gameSessionHash!);
  await sessions.setVerification(sessionId, "verified");
  await sessions.markPrepared(sessionId, T0);
  await sessions.forfeitTier(sessionId, 1);
  await sessions.forfeitedTierOf(ALICE, slug);
  await sessions.listOpen();
  await sessions.listUnverified(10);
  await sessions.listPending(ALICE, slug, 1);
  await sessions.listPending(ALICE, null, 1);
  await sessions.best(ALICE, slug);
  await sessions.bestOnChain(ALICE, slug);
  for (const status of ["active", "ended", null] as const) {
    await sessions.listMine({ wallet: ALICE, slug, status, source: "agent_api", ...PAGE });
  }
  await sessions.listLive({ slug, ...PAGE });

  await mine(store, snapshotOf(row), chainEvent("Payout", { block: 12, score: 1n, amount: 1n }));
  await sessions.forfeit(sessionId, T0);
  await chain.cursor();
  await chain.blockAt(10);
  await chain.scorebank(ALICE);
  await chain.payouts(ALICE, slug, PAGE);
  await chain.payouts(ALICE, null, PAGE);
  await chain.snapshotOf(ALICE, row.gameSessionHash!);
  await chain.nftEvents(slug, 1n);
  await chain.rewind(9);

  const token = channelToken();
  await channelTokens.add(token);
  await channelTokens.find(token.tokenHash);
  await channelTokens.use(token.tokenHash, T0);
  const claim = { caller: ALICE, route: "r", key: "k", bodyHash: "h", status: null, body: null, createdAtMs: T0 };
  await idempotency.claim(claim);
  await idempotency.claim(claim);
  await idempotency.complete({ ...claim, status: 200 });
  await idempotency.release(claim);
  await identities.putMetadata("d", "{}", T0);
  await identities.findMetadata("d");
  await identities.findProfile(ALICE);
  const profile = { agentName: "A", bio: "", links: [], image: null, services: [] };
  await identities.changeProfile(ALICE, { bio: "b" }, profile, T0);
  const counted = await play(store, { wallet: BOB }, { score: 5, endedAtMs: T0 });
  await sessions.setVerification(counted.sessionId, "verified");
  const board = boardOf(slug, "all", T0);
  for (const sort of SORTS) {
    for (const hideZero of [true, false]) await store.standings.page({ board, sort, hideZero, ...PAGE });
  }
  await store.standings.totals(board);
  await chain.totals({ block: 12, sinceSeconds: 0 });
  await store.telemetry.list({ afterEventId: null, limit: 1 });
  await store.newsletter.add({ email: "a@example.org", createdAtMs: T0 });
  await store.newsletter.list({ afterEmail: null, limit: 1 });
  const listing = newListing();
  const { listingId } = listing;
  await store.listings.add(listing, T0);
  await store.listings.find(listingId);
  await store.listings.show(listingId, "0x00", T0, 1);
  for (const sinceMs of [T0, null]) await store.listings.setDead([listingId], sinceMs);
  for (const collection of ["identity", null])
    for (const seller of [ALICE, null])
      await store.listings.listVisible({ collection, seller, nowMs: T0, deadBeforeMs: T0, limit: 1 });
  await store.listings.listMine({ seller: ALICE, ...PAGE });
  await store.listings.hide(listingId);
  await signings.record({ kind: "k", key: "k", payloadHash: "0x", atMs: T0 });
  await signings.record({ kind: "k", key: "k", payloadHash: "0x", atMs: T0 });
  const payout = payoutRow();
  await payouts.open(payout);
  await payouts.find(payout.payoutId);
  await payouts.findOpen(ALICE);
  await payouts.listOpen();
  await payouts.update(payout.payoutId, { status: "included" });
  const transaction = transactionRow(0);
  await transactions.add(transaction);
  await transactions.find(transaction.id);
  await transactions.findByKey(transaction.kind, transaction.key);
  await transactions.lastNonce(ALICE);
  await transactions.listOpen(ALICE);
  await transactions.update(transaction.id, { status: "included" });
  await useVoting(store, listingId, sessionId);
  await store.probe();
}

async function useVoting(store: Store, listingId: `0x${string}`, sessionId: string): Promise<void> {
  const { voting, operator } = store;
  const stamp = () => ({ auditId: freshId(), who: "tester", atMs: T0 });
  const slug = "reef";
  await voting.apply({ slug, title: "Reef", developer: "Coral", url: "https://example.org" }, stamp());
  await voting.move(slug, { from: ["applied"], to: "approved", note: "fine" }, stamp());
  await voting.open({ openingBlock: 1, opensAtMs: T0, closesAtMs: T0 + 1 }, [slug], stamp());
  await voting.findCandidate(slug);
  await voting.listCandidates(null);
  await voting.listCandidates("voting");
  await voting.candidatesOf(1);
  await voting.unsettledCycle();
  await voting.findCycle(1);
  await voting.lastCycle();
  const nonce = nonceRow({ purpose: "vote" });
  await store.auth.addNonce(nonce);
  const vote = { gameSlug: slug, wallet: ALICE, cycleId: 1, voteSource: "human", agentId: null } as const;
  await voting.cast({ ...vote, nonce: nonce.nonce, proof: "key", signature: "0x", castAtMs: T0 });
  await voting.tally([slug]);
  await voting.ballots(slug, PAGE);
  await voting.findPlayed(ALICE, 10, "verified");
  await voting.close(() => [slug], stamp());
  await operator.listAudit({ subject: null, limit: 1 });
  await operator.listAudit({ subject: slug, limit: 1 });
  await operator.withhold(sessionId, "why", stamp());
  const running = newSession({ slug: "flappybots" });
  await store.sessions.add(running);
  await operator.orderEnd(running.sessionId, "why", stamp());
  await operator.openOrders();
  await operator.completeOrder(running.sessionId, T0);
  await operator.hideListing(listingId, "why", stamp());
  await operator.restoreListing(listingId, "why", stamp());
}

/**
 * Reading these from end to end is what they are for: an index of open rows alone, an index whose first row is the
 * answer, the rows of an insert. `paid` is one wallet's payouts, found by index: one a day at the most, so they may be
 * sorted as well.
 */
const MAY_BE_SCANNED = [
  /^SCAN sessions USING INDEX open_sessions$/,
  /^SCAN listings USING INDEX visible_listings$/,
  /^SCAN payouts USING INDEX open_payouts$/,
  /^SCAN transactions USING INDEX open_transactions$/,
  /^SCAN orders USING INDEX open_orders$/,
  /^SCAN voting_cycles( USING (COVERING )?INDEX one_unsettled_cycle)?$/,
  /^SCAN voting_candidates USING INDEX candidates_by_age$/,
  /^SCAN audit USING INDEX sqlite_autoindex_audit_1$/,
  /^SCAN transactions USING COVERING INDEX sqlite_autoindex_transactions_\d$/,
  /^SCAN blocks USING INDEX sqlite_autoindex_blocks_1$/,
  /^SCAN \d+-ROW VALUES CLAUSE$/,
  /^SCAN (paid|\(subquery-\d+\))$/,
  // A partial index that holds nothing but its answer.
  /SCAN sessions USING INDEX unverified_sessions/,
];

const isSlow = (detail: string, query: string): boolean =>
  detail.startsWith("USE TEMP B-TREE")
    ? !query.includes('as "paid"')
    : detail.startsWith("SCAN") && !MAY_BE_SCANNED.some((allowed) => allowed.test(detail));

describe("query plans", function () {
  this.timeout(20_000);
  const folder = makeFolder();
  after(() => folder.remove());

  it("find every row by an index", async () => {
    const queries = new Set<string>();
    let collecting = false;
    const store = await openStore({
      databaseUrl: folder.databaseUrl,
      onQuery: ({ sql }) => {
        if (collecting && /^(select|update|delete|insert)/.test(sql)) queries.add(sql);
      },
    });
    await play(store);
    collecting = true;
    await useEverything(store);
    await store.close();
    expect(queries.size).to.be.greaterThan(70);

    const database = new Database(folder.file);
    const found: string[] = [];
    for (const query of queries) {
      const plan = database.prepare(`explain query plan ${query}`);
      const nulls = Array.from({ length: (query.match(/\?/g) ?? []).length }, () => null);
      for (const { detail } of plan.all(...nulls) as { detail: string }[]) {
        if (isSlow(detail, query)) found.push(`${detail} <- ${query}`);
      }
    }
    database.close();
    expect(found).to.deep.equal([]);
  });
});
