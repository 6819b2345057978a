import { expect } from "chai";
import type { Store } from "../../../../backend/ports/store/store.ts";
import type { VoteRow } from "../../../../backend/ports/store/voting.ts";
import { selectWinners } from "../../../../domain/voting.ts";
import {
  ALICE,
  addSession,
  BASE_TIME_MS,
  BOB,
  createEndedSession,
  createId,
  createListing,
  createNonceRow,
  createSession,
  createSessionHasher,
  hashText,
} from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

const createStamp = (atMs = BASE_TIME_MS) => ({ auditId: createId(), who: "tester", atMs });
const FORM = { title: "Reef", developer: "Coral", url: "https://example.org" };
const TIMES = { openingBlock: 7, opensAtMs: BASE_TIME_MS, closesAtMs: BASE_TIME_MS + 1000 };

async function approveApplications(store: Store, ...slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    await store.voting.addCandidate({ slug, ...FORM }, createStamp());
    await store.voting.moveCandidate(slug, { from: ["applied"], to: "approved", note: null }, createStamp());
  }
}

async function castVote(store: Store, change: Partial<VoteRow> = {}) {
  const nonce = change.nonce ?? createId();
  if (change.nonce === undefined) await store.auth.addNonce(createNonceRow({ nonce, purpose: "vote", slug: "reef" }));
  return store.voting.castVote({
    gameSlug: "reef",
    wallet: ALICE,
    cycleId: 1,
    voteSource: "human",
    agentId: null,
    proof: "key",
    signature: "0x01",
    castAtMs: BASE_TIME_MS,
    ...change,
    nonce,
  });
}

describeStore("votes", (store, { runConcurrently }) => {
  beforeEach(async () => {
    await approveApplications(store, "reef", "kelp");
    await store.voting.openCycle(TIMES, ["reef", "kelp"], createStamp());
  });

  it("takes one of 50 votes of a wallet for a game, over all sources", async () => {
    const results = await runConcurrently((store, index) =>
      castVote(store, { voteSource: index % 2 === 0 ? "human" : "ai_agent" }),
    );
    expect(results.filter((response) => response === "recorded")).to.have.length(1);
    expect(new Set(results)).to.deep.equal(new Set(["recorded", "already_voted"]));
    expect(await castVote(store, { gameSlug: "kelp" })).to.equal("recorded");
    expect(await castVote(store, { wallet: BOB })).to.equal("recorded");
    const [reef, kelp] = await store.voting.countVotes(["reef", "kelp"]);
    expect(reef!.human + reef!.aiAgent).to.equal(2);
    expect(kelp).to.deep.equal({ gameSlug: "kelp", human: 1, aiAgent: 0 });
  });

  it("takes one of 50 votes on one nonce, and none on a nonce of another kind", async () => {
    await store.auth.addNonce(createNonceRow({ nonce: "once", purpose: "vote" }));
    const results = await runConcurrently((connection) => castVote(connection, { nonce: "once" }));
    expect(results.filter((response) => response === "recorded")).to.have.length(1);
    expect(new Set(results)).to.deep.equal(new Set(["recorded", "nonce_used"]));
    await store.auth.addNonce(createNonceRow({ nonce: "sign-in" }));
    expect(await castVote(store, { nonce: "sign-in", wallet: BOB })).to.equal("nonce_used");
  });

  it("counts no vote after the cycle's end, by the clock or by the operator", async () => {
    expect(await castVote(store, { castAtMs: BASE_TIME_MS + 1000 })).to.equal("closed");
    expect(await castVote(store, { castAtMs: BASE_TIME_MS + 999 })).to.equal("recorded");
    await store.voting.closeCycle((tallies) => selectWinners(tallies, 1), createStamp());
    expect(await castVote(store, { wallet: BOB })).to.equal("closed");
    expect(await store.voting.countVotes(["reef"])).to.deep.equal([{ gameSlug: "reef", human: 1, aiAgent: 0 }]);
  });

  it("pages through ballots in the order in which they were cast", async () => {
    await castVote(store, { castAtMs: BASE_TIME_MS + 2, wallet: BOB });
    await castVote(store, { castAtMs: BASE_TIME_MS + 1 });
    const { items, total } = await store.voting.listBallots("reef", { page: 1, limit: 1 });
    expect(items.map(({ wallet }) => wallet)).to.deep.equal([ALICE]);
    expect(total).to.equal(2);
    expect((await store.voting.listBallots("reef", { page: 2, limit: 1 })).items[0]).to.include({ wallet: BOB });
  });
});

describeStore("voting cycles", (store, { runConcurrently }) => {
  it("opens one of 50 cycles, all of its candidates or none, and closes it once", async () => {
    await approveApplications(store, "reef");
    expect(await store.voting.openCycle(TIMES, ["reef", "kelp"], createStamp())).to.deep.equal({
      outcome: "not_approved",
      slugs: ["kelp"],
    });
    expect(await store.voting.findCandidate("reef")).to.include({ state: "approved", cycleId: null });
    const results = await runConcurrently((connection) => connection.voting.openCycle(TIMES, ["reef"], createStamp()));
    expect(results.filter(({ outcome }) => outcome === "opened")).to.have.length(1);
    expect(await store.voting.listCycleCandidates(1)).to.have.length(1);
    await approveApplications(store, "kelp");
    expect(await store.voting.openCycle(TIMES, ["kelp"], createStamp()), "one at a time").to.deep.include({
      outcome: "unsettled",
    });
    await castVote(store, { voteSource: "ai_agent", agentId: "1" });
    const closed = await runConcurrently((connection) =>
      connection.voting.closeCycle((all) => selectWinners(all, 1), createStamp()),
    );
    expect(closed.filter((response) => response !== null)).to.have.length(1);
    expect(await store.voting.findCandidate("reef")).to.include({ state: "won" });
    expect(await store.voting.openCycle(TIMES, ["kelp"], createStamp())).to.deep.include({ outcome: "opened" });
    expect(await store.voting.findLastCycle()).to.include({ id: 2 });
  });

  it("moves a candidate only from the states that allow it", async () => {
    expect(await store.voting.addCandidate({ slug: "reef", ...FORM }, createStamp())).to.equal(true);
    expect(await store.voting.addCandidate({ slug: "reef", ...FORM }, createStamp())).to.equal(false);
    const change = { from: ["won"], to: "onboarding", note: null } as const;
    expect(await store.voting.moveCandidate("reef", change, createStamp())).to.equal(null);
    expect((await store.voting.listCandidates("applied")).map(({ slug }) => slug)).to.deep.equal(["reef"]);
    expect(await store.operator.listAudit({ subject: "reef", limit: 9 }), "refusals change nothing").to.have.length(1);
  });
});

describeStore("sessions that make an agent eligible", (store) => {
  const SECONDS = 10;
  const addPlayedSession = async (tick: number, lengthMs: number, change = {}) => {
    const session = await addSession(store, { tickHz: 20, ...change });
    const ended = createEndedSession(session.sessionId, { tick, endedAtMs: BASE_TIME_MS + lengthMs });
    await store.sessions.end(ended, createSessionHasher(session.sessionId));
    return session.sessionId;
  };
  const find = (state: "verified" | "pending") => store.voting.findQualifyingSession(ALICE, SECONDS, state);

  it("last 10 s by ticks or by the clock, were really played, and are of the agent", async () => {
    await addPlayedSession(199, 9_999);
    await addPlayedSession(0, 60_000);
    await addPlayedSession(900, 60_000, { source: "browser_ws" });
    await addPlayedSession(900, 60_000, { wallet: BOB });
    expect(await find("pending")).to.equal(null);
    const byClock = await addPlayedSession(1, 10_000);
    expect((await find("pending"))?.sessionId).to.equal(byClock);
    await store.sessions.setVerification(byClock, "withheld");
    const byTicks = await addPlayedSession(200, 2_500);
    expect((await find("pending"))?.sessionId).to.equal(byTicks);
    expect(await find("verified")).to.equal(null);
    await store.sessions.setVerification(byTicks, "verified");
    expect((await find("verified"))?.sessionId).to.equal(byTicks);
  });
});

describeStore("what an operator does", (store) => {
  it("writes an audit row that cannot be written twice", async () => {
    await approveApplications(store, "reef");
    const [row] = await store.operator.listAudit({ subject: null, limit: 1 });
    expect(row).to.include({ who: "tester", action: "voting.approved", subject: "reef", atMs: BASE_TIME_MS });
    expect(JSON.parse(row!.before!)).to.include({ state: "applied" });
    expect((await getRejection(store.operator.addAuditRow(row!))).message).to.match(/unique/i);
  });

  it("hides a listing against its seller's changes, and restores it unchanged", async () => {
    const { operator, listings } = store;
    const { listingId } = createListing();
    await listings.add(createListing({ listingId }), 0);
    expect(await operator.hideListing(hashText("unknown"), "", createStamp())).to.equal("unknown");
    for (const isHiddenBySeller of [false, true]) {
      expect(await listings.show(listingId, "0x01", BASE_TIME_MS, 9)).to.equal("shown");
      expect(await operator.hideListing(listingId, "spam", createStamp())).to.equal("changed");
      expect(await operator.hideListing(listingId, "spam", createStamp())).to.equal("unchanged");
      expect(await listings.show(listingId, "0x01", BASE_TIME_MS, 9)).to.equal("moderated");
      expect(await listings.find(listingId)).to.include({ visible: false });
      if (isHiddenBySeller) await listings.hide(listingId);
      expect(await operator.restoreListing(listingId, "", createStamp())).to.equal("changed");
      expect(await operator.restoreListing(listingId, "", createStamp())).to.equal("unchanged");
      expect(await listings.find(listingId)).to.include({ visible: !isHiddenBySeller });
    }
    const actions = (await operator.listAudit({ subject: listingId, limit: 9 })).map(({ action }) => action);
    expect(actions).to.deep.equal(["listings.show", "listings.hide", "listings.show", "listings.hide"]);
  });

  it("stores a second command to end a session after the first was done", async () => {
    const session = createSession();
    expect(await store.operator.requestSessionEnd("unknown", "", createStamp())).to.equal(false);
    await store.sessions.add(session);
    expect(await store.operator.requestSessionEnd(session.sessionId, "", createStamp())).to.equal(true);
    expect((await store.operator.listOpenCommands()).map(({ sessionId }) => sessionId)).to.deep.equal([
      session.sessionId,
    ]);
    await store.operator.completeCommand(session.sessionId, BASE_TIME_MS);
    expect(await store.operator.listOpenCommands()).to.deep.equal([]);
    await store.operator.requestSessionEnd(session.sessionId, "", createStamp());
    expect(await store.operator.listOpenCommands()).to.have.length(1);
  });
});
