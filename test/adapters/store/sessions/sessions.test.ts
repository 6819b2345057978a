import { expect } from "chai";
import type { NewSession } from "../../../../backend/ports/store/sessions.ts";
import {
  ALICE,
  addSession,
  appendEvents,
  BASE_TIME_MS,
  BOB,
  createChainEvent,
  createSession,
  createSessionHasher,
  createSnapshotEvent,
  endSession,
  hashText,
  storeEndedSession,
  storeVerifiedSession,
} from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

describeStore("session store", (store, { runConcurrently }) => {
  const find = (sessionId: string) => store.sessions.find(sessionId);
  const prepare = (sessionId: string, atMs = BASE_TIME_MS, signedUntilSeconds = 1) =>
    store.sessions.markPrepared(sessionId, { atMs, signedUntilSeconds });

  it("stores a new session without a player", async () => {
    const session = createSession();
    const added = await store.sessions.add(session);
    const row = await find(session.sessionId);
    expect(added, "the row is not read again").to.deep.equal({ added: true, row });
    expect(row).to.deep.equal({
      ...session,
      phase: "ready",
      endedAtMs: null,
      endReason: null,
      score: 0,
      tick: 0,
      replayDigest: null,
      gameSessionHash: null,
      sequence: null,
      verification: "pending",
      preparedAtMs: null,
      signedUntilSeconds: null,
      forfeitedAtMs: null,
      entropy: null,
      transcriptSignature: null,
      forfeitedTier: null,
      owner: null,
      snapshotTxHash: null,
      snapshotBlock: null,
    });
    expect(await find("unknown")).to.equal(null);
  });

  it("opens one of 50 agent sessions of a wallet and a game, beside its ended ones and those of others", async () => {
    const { sessionId: ended } = await addSession(store);
    await endSession(store, ended);
    const others = [await addSession(store, { slug: "flappybots" }), await addSession(store, { wallet: BOB })];
    const results = await runConcurrently(({ sessions }) => sessions.add(createSession()));
    const ids = new Set([ended, ...others.map(({ sessionId }) => sessionId)]);
    const open = (await store.sessions.listOpen()).filter(({ sessionId }) => !ids.has(sessionId));
    expect(open).to.have.length(1);
    expect(results.filter(({ added }) => added)).to.have.length(1);
    for (const result of results) if (!result.added) expect(result.activeSessionId).to.equal(open[0]?.sessionId);
  });

  it("counts the open session per wallet, game and source", async () => {
    const practice = { source: "browser_ws", wallet: null, agentId: null } as const;
    const add = (change: Partial<NewSession> = {}) => store.sessions.add(createSession(change));
    const first = await addSession(store);
    for (const change of [
      { wallet: BOB },
      { slug: "flappybots" },
      practice,
      practice,
      { source: "browser_ws" },
    ] as const)
      expect(await add(change)).to.include({ added: true });
    await endSession(store, first.sessionId);
    expect(await add()).to.include({ added: true });
  });

  it("rejects a session id that exists", async () => {
    const session = await addSession(store);
    expect((await getRejection(store.sessions.add({ ...session, wallet: BOB }))).message).to.match(/unique/i);
  });

  it("ends a session once, with one sequence, for 50 callers", async () => {
    const { sessionId } = await addSession(store);
    const rows = await runConcurrently((each, score) => endSession(each, sessionId, { score }));
    for (const row of rows) expect(row).to.deep.equal(rows[0]);
    expect(rows[0]).to.include({ phase: "ended", endReason: "lives_lost", tick: 1200, sequence: 1n });
    expect(await store.sessions.findByHash(createSessionHasher(sessionId)(1n))).to.deep.equal(rows[0]);
    expect(await store.sessions.listOpen()).to.have.length(0);
  });

  it("gives 50 sessions of a wallet that end together 50 sequences", async () => {
    const ids: string[] = [];
    for (let game = 0; game < 50; game++) ids.push((await addSession(store, { slug: `game-${game}` })).sessionId);
    const rows = await runConcurrently((each, index) => endSession(each, ids[index]!));
    const sequences = rows.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b);
    expect(sequences).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it("continues above the highest sequence on chain", async () => {
    expect((await storeEndedSession(store)).sequence).to.equal(1n);
    const gameSessionHash = createSessionHasher("elsewhere")(41n);
    const points = { sequence: 41n, score: 1n, scorebank: 1n };
    await appendEvents(store, createChainEvent("ScoreSnapshot", { gameSessionHash, ...points }));
    expect((await storeEndedSession(store)).sequence).to.equal(42n);
    expect((await storeEndedSession(store, { wallet: BOB })).sequence).to.equal(1n);
  });

  it("numbers only agent sessions", async () => {
    const practice = await storeEndedSession(store, { source: "browser_ws" });
    expect(practice).to.include({ phase: "ended", sequence: null, gameSessionHash: null, score: 100 });
    expect(practice.replayDigest).to.equal(hashText("replay"));
    expect((await storeEndedSession(store)).sequence).to.equal(1n);
  });

  it("does not end an unknown session", async () => {
    expect((await getRejection(endSession(store, "unknown"))).code).to.equal("SESSION_NOT_FOUND");
  });

  it("lists ended sessions that are not verified yet", async () => {
    const listIds = async () => (await store.sessions.listUnverified(10)).map(({ sessionId }) => sessionId);
    const { sessionId } = await storeEndedSession(store);
    await storeEndedSession(store, { source: "browser_ws" });
    expect(await listIds()).to.deep.equal([sessionId]);
    await store.sessions.setVerification(sessionId, "verified");
    expect(await listIds()).to.deep.equal([]);
  });

  it("verifies an ended session once", async () => {
    const { sessionId } = await addSession(store);
    expect(await store.sessions.setVerification(sessionId, "verified")).to.equal(false);
    await endSession(store, sessionId);
    const set = await runConcurrently(({ sessions }, index) =>
      sessions.setVerification(sessionId, index % 2 === 0 ? "verified" : "withheld"),
    );
    expect(set.filter(Boolean)).to.have.length(1);
  });

  it("prepares only verified scores, and keeps the first time", async () => {
    const { sessionId } = await storeEndedSession(store);
    expect(await prepare(sessionId)).to.equal(false);
    await store.sessions.setVerification(sessionId, "verified");
    expect(await prepare(sessionId, BASE_TIME_MS + 1, 900)).to.equal(true);
    expect(await prepare(sessionId, BASE_TIME_MS + 2, 800)).to.equal(true);
    expect(await find(sessionId)).to.include({ preparedAtMs: BASE_TIME_MS + 1, signedUntilSeconds: 900 });

    const withheld = await storeEndedSession(store);
    await store.sessions.setVerification(withheld.sessionId, "withheld");
    expect(await prepare(withheld.sessionId)).to.equal(false);
  });

  it("prepares simultaneously requested scores as if one after the other", async () => {
    const first = (await storeVerifiedSession(store)).sessionId;
    const second = (await storeVerifiedSession(store)).sessionId;
    const pending = (await storeEndedSession(store)).sessionId;
    const asked = [second, pending, first, second, "unknown"].map((id, index) =>
      prepare(id, BASE_TIME_MS - index, index === 3 ? 950 : 900 + index),
    );
    expect(await Promise.all(asked)).to.deep.equal([true, false, true, true, false]);
    const rows = await Promise.all([first, second, pending].map(find));
    expect(rows.map((row) => [row?.preparedAtMs, row?.signedUntilSeconds])).to.deep.equal([
      [BASE_TIME_MS - 2, 902],
      [BASE_TIME_MS, 950],
      [null, null],
    ]);
  });

  it("returns the last deadline of a signed score that is not on chain", async () => {
    const { chain, sessions } = store;
    expect(await sessions.getLastDeadline()).to.equal(null);
    const [first, second] = [await storeVerifiedSession(store), await storeVerifiedSession(store)];
    await prepare(first.sessionId, BASE_TIME_MS, 900);
    await prepare(second.sessionId, BASE_TIME_MS, 950);
    expect(await sessions.getLastDeadline()).to.equal(950);
    await appendEvents(store, createSnapshotEvent(second));
    expect(await sessions.getLastDeadline()).to.equal(900);
    await chain.rewind(9);
    expect(await sessions.getLastDeadline()).to.equal(950);
  });

  it("forfeits a score once, and does not prepare it afterwards", async () => {
    const { sessionId } = await storeVerifiedSession(store);
    const given = await runConcurrently(({ sessions }, index) =>
      sessions.forfeit(sessionId, { atMs: BASE_TIME_MS + index, signedBeforeSeconds: 0 }),
    );
    expect(given.filter(Boolean)).to.have.length(1);
    expect((await find(sessionId))?.forfeitedAtMs).to.equal(BASE_TIME_MS + given.indexOf(true));
    expect(await prepare(sessionId)).to.equal(false);
  });

  it("does not forfeit a score that is on chain, a practice score, or that of an open session", async () => {
    const forfeit = ({ sessionId }: { readonly sessionId: string }) =>
      store.sessions.forfeit(sessionId, { atMs: BASE_TIME_MS, signedBeforeSeconds: 0 });
    const row = await storeEndedSession(store);
    await appendEvents(store, createSnapshotEvent(row));
    expect(await forfeit(row)).to.equal(false);
    await store.chain.rewind(9);
    expect(await forfeit(row)).to.equal(true);
    expect(await forfeit(await storeEndedSession(store, { source: "browser_ws" }))).to.equal(false);
    expect(await forfeit(await addSession(store))).to.equal(false);
  });

  it("does not forfeit a score until its signature has expired", async () => {
    const { sessionId } = await storeVerifiedSession(store);
    await store.sessions.markPrepared(sessionId, { atMs: BASE_TIME_MS, signedUntilSeconds: 900 });
    const forfeit = (signedBeforeSeconds: number) =>
      store.sessions.forfeit(sessionId, { atMs: BASE_TIME_MS, signedBeforeSeconds });
    for (const seconds of [0, 899, 900]) expect(await forfeit(seconds), String(seconds)).to.equal(false);
    expect(await forfeit(901)).to.equal(true);
  });

  it("returns the highest forfeited tier of a wallet and a game", async () => {
    const { sessions } = store;
    const getTier = (wallet = ALICE, slug = "shellrunners") => sessions.getForfeitedTier(wallet, slug, "1");
    const [first, second] = [await storeEndedSession(store), await storeEndedSession(store)];
    expect(await getTier()).to.equal(0);
    expect(await sessions.forfeitTier(first.sessionId, 2)).to.equal(true);
    expect(await sessions.forfeitTier(first.sessionId, 2)).to.equal(false);
    expect(await sessions.forfeitTier(first.sessionId, 1)).to.equal(false);
    expect(await sessions.forfeitTier(second.sessionId, 1)).to.equal(true);
    expect([await getTier(), await getTier(ALICE, "flappybots"), await getTier(BOB)]).to.deep.equal([2, 0, 0]);
  });
});
