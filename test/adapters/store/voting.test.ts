import { expect } from "chai";
import { winnersOf } from "../../../backend/domain/voting.ts";
import type { Store, VoteRow } from "../../../backend/ports.ts";
import { ALICE, BOB, endedSession, freshId, hashFor, hexOf, newListing, newSession, nonceRow, T0 } from "./rows.ts";
import { describeStore, race, rejectionOf } from "./suite.ts";

const stamp = (atMs = T0) => ({ auditId: freshId(), who: "tester", atMs });
const FORM = { title: "Reef", developer: "Coral", url: "https://example.org" };
const TIMES = { openingBlock: 7, opensAtMs: T0, closesAtMs: T0 + 1000 };

async function approve(store: Store, ...slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    await store.voting.apply({ slug, ...FORM }, stamp());
    await store.voting.move(slug, { from: ["applied"], to: "approved", note: null }, stamp());
  }
}

async function vote(store: Store, change: Partial<VoteRow> = {}) {
  const nonce = change.nonce ?? freshId();
  if (change.nonce === undefined) await store.auth.addNonce(nonceRow({ nonce, purpose: "vote", slug: "reef" }));
  return store.voting.cast({
    gameSlug: "reef",
    wallet: ALICE,
    cycleId: 1,
    voteSource: "human",
    agentId: null,
    proof: "key",
    signature: "0x01",
    castAtMs: T0,
    ...change,
    nonce,
  });
}

describeStore("votes", (subject) => {
  beforeEach(async () => {
    const { store } = subject();
    await approve(store, "reef", "kelp");
    await store.voting.open(TIMES, ["reef", "kelp"], stamp());
  });

  it("takes one of 50 votes of a wallet for a game, whatever their source", async () => {
    const answers = await race(subject(), (store, index) =>
      vote(store, { voteSource: index % 2 === 0 ? "human" : "ai_agent" }),
    );
    expect(answers.filter((answer) => answer === "recorded")).to.have.length(1);
    expect(new Set(answers)).to.deep.equal(new Set(["recorded", "already_voted"]));
    expect(await vote(subject().store, { gameSlug: "kelp" })).to.equal("recorded");
    expect(await vote(subject().store, { wallet: BOB })).to.equal("recorded");
    const [reef, kelp] = await subject().store.voting.tally(["reef", "kelp"]);
    expect(reef!.human + reef!.aiAgent).to.equal(2);
    expect(kelp).to.deep.equal({ gameSlug: "kelp", human: 1, aiAgent: 0 });
  });

  it("takes one of 50 votes on one nonce, and none on a nonce of another kind", async () => {
    const { store } = subject();
    await store.auth.addNonce(nonceRow({ nonce: "once", purpose: "vote" }));
    const answers = await race(subject(), (either) => vote(either, { nonce: "once" }));
    expect(answers.filter((answer) => answer === "recorded")).to.have.length(1);
    expect(new Set(answers)).to.deep.equal(new Set(["recorded", "nonce_used"]));
    await store.auth.addNonce(nonceRow({ nonce: "sign-in" }));
    expect(await vote(store, { nonce: "sign-in", wallet: BOB })).to.equal("nonce_used");
  });

  it("counts nothing from the cycle's end on, by clock or by hand", async () => {
    const { store } = subject();
    expect(await vote(store, { castAtMs: T0 + 1000 })).to.equal("closed");
    expect(await vote(store, { castAtMs: T0 + 999 })).to.equal("recorded");
    await store.voting.close((tallies) => winnersOf(tallies, 1), stamp());
    expect(await vote(store, { wallet: BOB })).to.equal("closed");
    expect(await store.voting.tally(["reef"])).to.deep.equal([{ gameSlug: "reef", human: 1, aiAgent: 0 }]);
  });

  it("pages through ballots in the order in which they were cast", async () => {
    const { store } = subject();
    await vote(store, { castAtMs: T0 + 2, wallet: BOB });
    await vote(store, { castAtMs: T0 + 1 });
    const { items, total } = await store.voting.ballots("reef", { page: 1, limit: 1 });
    expect(items.map(({ wallet }) => wallet)).to.deep.equal([ALICE]);
    expect(total).to.equal(2);
    expect((await store.voting.ballots("reef", { page: 2, limit: 1 })).items[0]).to.include({ wallet: BOB });
  });
});

describeStore("voting cycles", (subject) => {
  it("opens one of 50 cycles, all of its candidates or none, and closes it once", async () => {
    const { store } = subject();
    await approve(store, "reef");
    expect(await store.voting.open(TIMES, ["reef", "kelp"], stamp())).to.deep.equal({
      outcome: "not_approved",
      slugs: ["kelp"],
    });
    expect(await store.voting.findCandidate("reef")).to.include({ state: "approved", cycleId: null });
    const answers = await race(subject(), (either) => either.voting.open(TIMES, ["reef"], stamp()));
    expect(answers.filter(({ outcome }) => outcome === "opened")).to.have.length(1);
    expect(await store.voting.candidatesOf(1)).to.have.length(1);
    await approve(store, "kelp");
    expect(await store.voting.open(TIMES, ["kelp"], stamp()), "one at a time").to.deep.include({
      outcome: "unsettled",
    });
    await vote(store, { voteSource: "ai_agent", agentId: "1" });
    const closed = await race(subject(), (either) => either.voting.close((all) => winnersOf(all, 1), stamp()));
    expect(closed.filter((answer) => answer !== null)).to.have.length(1);
    expect(await store.voting.findCandidate("reef")).to.include({ state: "won" });
    expect(await store.voting.open(TIMES, ["kelp"], stamp())).to.deep.include({ outcome: "opened" });
    expect(await store.voting.lastCycle()).to.include({ id: 2 });
  });

  it("moves a candidate from the states that allow it alone", async () => {
    const { store } = subject();
    expect(await store.voting.apply({ slug: "reef", ...FORM }, stamp())).to.equal(true);
    expect(await store.voting.apply({ slug: "reef", ...FORM }, stamp())).to.equal(false);
    const change = { from: ["won"], to: "onboarding", note: null } as const;
    expect(await store.voting.move("reef", change, stamp())).to.equal(null);
    expect((await store.voting.listCandidates("applied")).map(({ slug }) => slug)).to.deep.equal(["reef"]);
    expect(await store.operator.listAudit({ subject: "reef", limit: 9 }), "refusals change nothing").to.have.length(1);
  });
});

describeStore("sessions that make an agent eligible", (subject) => {
  const SECONDS = 10;
  const played = async (tick: number, lengthMs: number, change = {}) => {
    const { store } = subject();
    const session = newSession({ tickHz: 20, ...change });
    await store.sessions.add(session);
    const ended = endedSession(session.sessionId, { tick, endedAtMs: T0 + lengthMs });
    await store.sessions.end(ended, hashFor(session.sessionId));
    return session.sessionId;
  };
  const find = (state: "verified" | "pending") => subject().store.voting.findPlayed(ALICE, SECONDS, state);

  it("last 10 s by ticks or by the clock, were really played, and are of the agent", async () => {
    await played(199, 9_999);
    await played(0, 60_000);
    await played(900, 60_000, { source: "browser_ws" });
    await played(900, 60_000, { wallet: BOB });
    expect(await find("pending")).to.equal(null);
    const byClock = await played(1, 10_000);
    expect((await find("pending"))?.sessionId).to.equal(byClock);
    await subject().store.sessions.setVerification(byClock, "withheld");
    const byTicks = await played(200, 2_500);
    expect((await find("pending"))?.sessionId).to.equal(byTicks);
    expect(await find("verified")).to.equal(null);
    await subject().store.sessions.setVerification(byTicks, "verified");
    expect((await find("verified"))?.sessionId).to.equal(byTicks);
  });
});

describeStore("what an operator does", (subject) => {
  it("writes down what a second way to the rows cannot change", async () => {
    const { store } = subject();
    await approve(store, "reef");
    const [row] = await store.operator.listAudit({ subject: null, limit: 1 });
    expect(row).to.include({ who: "tester", action: "voting.approved", subject: "reef", atMs: T0 });
    expect(JSON.parse(row!.before!)).to.include({ state: "applied" });
    expect((await rejectionOf(store.operator.note(row!))).message).to.match(/UNIQUE/);
  });

  it("takes a listing from view, whatever its seller does, and gives it back as it was", async () => {
    const { operator, listings } = subject().store;
    const { listingId } = newListing();
    await listings.add(newListing({ listingId }), 0);
    expect(await operator.hideListing(hexOf("unknown"), "", stamp())).to.equal("unknown");
    for (const hidesItself of [false, true]) {
      expect(await listings.show(listingId, "0x01", T0, 9)).to.equal("shown");
      expect(await operator.hideListing(listingId, "spam", stamp())).to.equal("changed");
      expect(await operator.hideListing(listingId, "spam", stamp())).to.equal("unchanged");
      expect(await listings.show(listingId, "0x01", T0, 9)).to.equal("moderated");
      expect(await listings.find(listingId)).to.include({ visible: false });
      if (hidesItself) await listings.hide(listingId);
      expect(await operator.restoreListing(listingId, "", stamp())).to.equal("changed");
      expect(await operator.restoreListing(listingId, "", stamp())).to.equal("unchanged");
      expect(await listings.find(listingId)).to.include({ visible: !hidesItself });
    }
    const actions = (await operator.listAudit({ subject: listingId, limit: 9 })).map(({ action }) => action);
    expect(actions).to.deep.equal(["listings.show", "listings.hide", "listings.show", "listings.hide"]);
  });

  it("orders the end of an open session once more after it was done", async () => {
    const { store } = subject();
    const session = newSession();
    expect(await store.operator.orderEnd("unknown", "", stamp())).to.equal(false);
    await store.sessions.add(session);
    expect(await store.operator.orderEnd(session.sessionId, "", stamp())).to.equal(true);
    expect((await store.operator.openOrders()).map(({ sessionId }) => sessionId)).to.deep.equal([session.sessionId]);
    await store.operator.completeOrder(session.sessionId, T0);
    expect(await store.operator.openOrders()).to.deep.equal([]);
    await store.operator.orderEnd(session.sessionId, "", stamp());
    expect(await store.operator.openOrders()).to.have.length(1);
  });
});
