import { expect } from "chai";
import type { Store } from "../../../../backend/ports/store/store.ts";
import type { VoteRow } from "../../../../backend/ports/store/voting.ts";
import { selectWinners } from "../../../../domain/voting.ts";
import {
  ALICE,
  addSession,
  BASE_TIME_MS,
  BOB,
  createId,
  createListing,
  createNonceRow,
  createStamp,
  getIds,
  hashText,
  storeEndedSession,
} from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

const FORM = { title: "Reef", developer: "Coral", url: "https://example.org" };
const TIMES = { openingBlock: 7, opensAtMs: BASE_TIME_MS, closesAtMs: BASE_TIME_MS + 1000 };

async function approveApplications({ voting }: Store, ...slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    await voting.addCandidate({ slug, ...FORM }, createStamp());
    await voting.moveCandidate(slug, { from: ["applied"], to: "approved", note: null }, createStamp());
  }
}

const openCycle = ({ voting }: Store, ...slugs: readonly string[]) => voting.openCycle(TIMES, slugs, createStamp());
const closeCycle = ({ voting }: Store) => voting.closeCycle((tallies) => selectWinners(tallies, 1), createStamp());

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
    await openCycle(store, "reef", "kelp");
  });
  const expectOneRecorded = (results: readonly string[], others: string): void => {
    expect(results.filter((result) => result === "recorded")).to.have.length(1);
    expect(new Set(results)).to.deep.equal(new Set(["recorded", others]));
  };

  it("takes one of 50 votes of a wallet for a game, over all sources", async () => {
    const sources = ["human", "ai_agent"] as const;
    const results = await runConcurrently((each, index) => castVote(each, { voteSource: sources[index % 2]! }));
    expectOneRecorded(results, "already_voted");
    expect(await castVote(store, { gameSlug: "kelp" })).to.equal("recorded");
    expect(await castVote(store, { wallet: BOB })).to.equal("recorded");
    const [reef, kelp] = await store.voting.countVotes(["reef", "kelp"]);
    expect(reef!.human + reef!.aiAgent).to.equal(2);
    expect(kelp).to.deep.equal({ gameSlug: "kelp", human: 1, aiAgent: 0 });
  });

  it("takes one of 50 votes on one nonce, and none on a nonce of another kind", async () => {
    await store.auth.addNonce(createNonceRow({ nonce: "once", purpose: "vote" }));
    expectOneRecorded(await runConcurrently((each) => castVote(each, { nonce: "once" })), "nonce_used");
    await store.auth.addNonce(createNonceRow({ nonce: "sign-in" }));
    expect(await castVote(store, { nonce: "sign-in", wallet: BOB })).to.equal("nonce_used");
  });

  it("counts no vote after the cycle's end, by the clock or by the operator", async () => {
    expect(await castVote(store, { castAtMs: BASE_TIME_MS + 1000 })).to.equal("closed");
    expect(await castVote(store, { castAtMs: BASE_TIME_MS + 999 })).to.equal("recorded");
    await closeCycle(store);
    expect(await castVote(store, { wallet: BOB })).to.equal("closed");
    expect(await store.voting.countVotes(["reef"])).to.deep.equal([{ gameSlug: "reef", human: 1, aiAgent: 0 }]);
  });

  it("pages through ballots in the order in which they were cast", async () => {
    await castVote(store, { castAtMs: BASE_TIME_MS + 2, wallet: BOB });
    await castVote(store, { castAtMs: BASE_TIME_MS + 1 });
    for (const [index, wallet] of [ALICE, BOB].entries()) {
      const { items, total } = await store.voting.listBallots("reef", { page: index + 1, limit: 1 });
      expect([items.map((ballot) => ballot.wallet), total]).to.deep.equal([[wallet], 2]);
    }
  });
});

describeStore("voting cycles", (store, { runConcurrently }) => {
  it("opens one of 50 cycles, all of its candidates or none, and closes it once", async () => {
    await approveApplications(store, "reef");
    expect(await openCycle(store, "reef", "kelp")).to.deep.equal({ outcome: "not_approved", slugs: ["kelp"] });
    expect(await store.voting.findCandidate("reef")).to.include({ state: "approved", cycleId: null });
    const results = await runConcurrently((each) => openCycle(each, "reef"));
    expect(results.filter(({ outcome }) => outcome === "opened")).to.have.length(1);
    expect(await store.voting.listCycleCandidates(1)).to.have.length(1);
    await approveApplications(store, "kelp");
    expect(await openCycle(store, "kelp"), "one at a time").to.include({ outcome: "unsettled" });
    await castVote(store, { voteSource: "ai_agent", agentId: "1" });
    const closed = await runConcurrently(closeCycle);
    expect(closed.filter((result) => result !== null)).to.have.length(1);
    expect(await store.voting.findCandidate("reef")).to.include({ state: "won" });
    expect(await openCycle(store, "kelp")).to.include({ outcome: "opened" });
    expect(await store.voting.findLastCycle()).to.include({ id: 2 });
  });

  it("moves a candidate only from the states that allow it", async () => {
    const add = () => store.voting.addCandidate({ slug: "reef", ...FORM }, createStamp());
    expect([await add(), await add()]).to.deep.equal([true, false]);
    const change = { from: ["won"], to: "onboarding", note: null } as const;
    expect(await store.voting.moveCandidate("reef", change, createStamp())).to.equal(null);
    expect((await store.voting.listCandidates("applied")).map(({ slug }) => slug)).to.deep.equal(["reef"]);
    expect(await store.operator.listAudit({ subject: "reef", limit: 9 }), "refusals change nothing").to.have.length(1);
  });
});

describeStore("sessions that make an agent eligible", (store) => {
  const find = async (state: "verified" | "pending") =>
    (await store.voting.findQualifyingSession(ALICE, 10, state))?.sessionId;
  const addPlayed = async (tick: number, lengthMs: number, change = {}) =>
    (await storeEndedSession(store, change, { tick, endedAtMs: BASE_TIME_MS + lengthMs })).sessionId;

  it("last 10 s by ticks or by the clock, were really played, and belong to the agent", async () => {
    await addPlayed(199, 9_999);
    await addPlayed(0, 60_000);
    await addPlayed(900, 60_000, { source: "browser_ws" });
    await addPlayed(900, 60_000, { wallet: BOB });
    expect(await find("pending")).to.equal(undefined);
    const byClock = await addPlayed(1, 10_000);
    expect(await find("pending")).to.equal(byClock);
    await store.sessions.setVerification(byClock, "withheld");
    const byTicks = await addPlayed(200, 2_500);
    expect([await find("pending"), await find("verified")]).to.deep.equal([byTicks, undefined]);
    await store.sessions.setVerification(byTicks, "verified");
    expect(await find("verified")).to.equal(byTicks);
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
    const listing = createListing();
    const { listingId } = listing;
    await listings.add(listing, 0);
    const show = () => listings.show(listingId, "0x01", BASE_TIME_MS, 9);
    const hide = (id = listingId) => operator.hideListing(id, "spam", createStamp());
    const restore = () => operator.restoreListing(listingId, "", createStamp());
    expect(await hide(hashText("unknown"))).to.equal("unknown");
    expect(await operator.restoreListing(hashText("unknown"), "", createStamp())).to.equal("unknown");
    expect(await restore()).to.equal("unchanged");
    for (const isHiddenBySeller of [false, true]) {
      expect([await show(), await hide(), await hide()]).to.deep.equal(["shown", "changed", "unchanged"]);
      expect(await show()).to.equal("moderated");
      expect(await listings.find(listingId)).to.include({ visible: false });
      if (isHiddenBySeller) await listings.hide(listingId);
      expect([await restore(), await restore()]).to.deep.equal(["changed", "unchanged"]);
      expect(await listings.find(listingId)).to.include({ visible: !isHiddenBySeller });
    }
    const isVisible = (text: string | null): boolean => JSON.parse(text!).visible;
    const audit = await operator.listAudit({ subject: listingId, limit: 9 });
    expect(audit.map(({ action, before, after }) => [action, isVisible(before), isVisible(after)])).to.deep.equal([
      ["listings.show", false, false],
      ["listings.hide", true, false],
      ["listings.show", false, true],
      ["listings.hide", true, false],
    ]);
  });

  it("stores a second command to end a session after the first was done", async () => {
    const { operator } = store;
    const requestEnd = (id: string) => operator.requestSessionEnd(id, "", createStamp());
    expect(await requestEnd("unknown")).to.equal(false);
    const { sessionId } = await addSession(store);
    expect(await requestEnd(sessionId)).to.equal(true);
    expect(getIds(await operator.listOpenCommands())).to.deep.equal([sessionId]);
    await operator.completeCommand(sessionId, BASE_TIME_MS);
    expect(await operator.listOpenCommands()).to.deep.equal([]);
    await requestEnd(sessionId);
    expect(await operator.listOpenCommands()).to.have.length(1);
  });
});
