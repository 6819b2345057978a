import { expect } from "chai";
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
} from "../rows.ts";
import { describeStore, getRejection } from "../suite.ts";

describeStore("session store", (store, { runConcurrently }) => {
  it("stores a new session without a player", async () => {
    const { sessions } = store;
    const session = createSession();
    const added = await sessions.add(session);
    const row = await sessions.find(session.sessionId);
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
    expect(await sessions.find("unknown")).to.equal(null);
  });

  it("opens one of 50 agent sessions of a wallet and a game", async () => {
    const results = await runConcurrently((store) => store.sessions.add(createSession()));
    const open = await store.sessions.listOpen();
    expect(open).to.have.length(1);
    expect(results.filter((response) => response.added)).to.have.length(1);
    for (const response of results) if (!response.added) expect(response.activeSessionId).to.equal(open[0]?.sessionId);
  });

  it("counts the open session per wallet, game and source", async () => {
    const { sessions } = store;
    const first = createSession();
    const practice = { source: "browser_ws", wallet: null, agentId: null } as const;
    for (const session of [
      first,
      createSession({ wallet: BOB }),
      createSession({ slug: "flappybots" }),
      createSession(practice),
      createSession(practice),
      createSession({ source: "browser_ws" }),
    ]) {
      expect(await sessions.add(session)).to.include({ added: true });
    }
    await endSession(store, first.sessionId);
    expect(await sessions.add(createSession())).to.include({ added: true });
  });

  it("rejects a session id that exists", async () => {
    const { sessions } = store;
    const session = await addSession(store);
    expect((await getRejection(sessions.add({ ...session, wallet: BOB }))).message).to.match(/unique/i);
  });

  it("ends a session once, with one sequence, for 50 callers", async () => {
    const session = await addSession(store);
    const rows = await runConcurrently((store, index) => endSession(store, session.sessionId, { score: index }));
    for (const row of rows) expect(row).to.deep.equal(rows[0]);
    expect(rows[0]).to.include({ phase: "ended", endReason: "lives_lost", tick: 1200, sequence: 1n });
    expect(await store.sessions.findByHash(createSessionHasher(session.sessionId)(1n))).to.deep.equal(rows[0]);
    expect(await store.sessions.listOpen()).to.have.length(0);
  });

  it("gives 50 sessions of a wallet that end together 50 sequences", async () => {
    const ids: string[] = [];
    for (let game = 0; game < 50; game++) {
      const session = await addSession(store, { slug: `game-${game}` });
      ids.push(session.sessionId);
    }
    const rows = await runConcurrently((each, i) => endSession(each, ids[i]!));
    const sequences = rows.map((row) => Number(row.sequence)).sort((a, b) => a - b);
    expect(sequences).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it("continues above the highest sequence on chain", async () => {
    expect((await storeEndedSession(store)).sequence).to.equal(1n);
    const hash = createSessionHasher("elsewhere")(41n);
    await appendEvents(
      store,
      createChainEvent("ScoreSnapshot", { gameSessionHash: hash, sequence: 41n, score: 1n, scorebank: 1n }),
    );
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
    const error = await getRejection(endSession(store, "unknown"));
    expect(error.code).to.equal("SESSION_NOT_FOUND");
  });

  it("lists ended sessions that are not verified yet", async () => {
    const { sessions } = store;
    const { sessionId } = await storeEndedSession(store);
    await storeEndedSession(store, { source: "browser_ws" });
    expect((await sessions.listUnverified(10)).map((row) => row.sessionId)).to.deep.equal([sessionId]);
    await sessions.setVerification(sessionId, "verified");
    expect(await sessions.listUnverified(10)).to.deep.equal([]);
  });

  it("verifies an ended session once", async () => {
    const open = await addSession(store);
    expect(await store.sessions.setVerification(open.sessionId, "verified")).to.equal(false);
    const { sessionId } = await endSession(store, open.sessionId);
    const set = await runConcurrently(({ sessions }, i) =>
      sessions.setVerification(sessionId, i % 2 === 0 ? "verified" : "withheld"),
    );
    expect(set.filter(Boolean)).to.have.length(1);
  });

  it("prepares only verified scores, and keeps the first time", async () => {
    const { sessionId } = await storeEndedSession(store);
    expect(await store.sessions.markPrepared(sessionId, { atMs: BASE_TIME_MS, signedUntilSeconds: 1 })).to.equal(false);
    await store.sessions.setVerification(sessionId, "verified");
    expect(await store.sessions.markPrepared(sessionId, { atMs: BASE_TIME_MS + 1, signedUntilSeconds: 900 })).to.equal(
      true,
    );
    expect(await store.sessions.markPrepared(sessionId, { atMs: BASE_TIME_MS + 2, signedUntilSeconds: 800 })).to.equal(
      true,
    );
    const prepared = { preparedAtMs: BASE_TIME_MS + 1, signedUntilSeconds: 900 };
    expect(await store.sessions.find(sessionId)).to.include(prepared);

    const withheld = await storeEndedSession(store);
    await store.sessions.setVerification(withheld.sessionId, "withheld");
    expect(
      await store.sessions.markPrepared(withheld.sessionId, { atMs: BASE_TIME_MS, signedUntilSeconds: 1 }),
    ).to.equal(false);
  });

  it("prepares scores that are asked for at once as one after the other", async () => {
    const [first, second, pending] = [
      await storeEndedSession(store),
      await storeEndedSession(store),
      await storeEndedSession(store),
    ].map(({ sessionId }) => sessionId);
    for (const id of [first, second]) await store.sessions.setVerification(id!, "verified");
    const asked = [second, pending, first, second, "unknown"].map((id, i) =>
      store.sessions.markPrepared(id!, { atMs: BASE_TIME_MS - i, signedUntilSeconds: i === 3 ? 950 : 900 + i }),
    );
    expect(await Promise.all(asked)).to.deep.equal([true, false, true, true, false]);
    const rows = await Promise.all([first, second, pending].map((id) => store.sessions.find(id!)));
    expect(rows.map((row) => [row?.preparedAtMs, row?.signedUntilSeconds])).to.deep.equal([
      [BASE_TIME_MS - 2, 902],
      [BASE_TIME_MS, 950],
      [null, null],
    ]);
  });

  it("forfeits a score once, and does not prepare it afterwards", async () => {
    const { sessionId } = await storeEndedSession(store);
    await store.sessions.setVerification(sessionId, "verified");
    const given = await runConcurrently(({ sessions }, index) => sessions.forfeit(sessionId, BASE_TIME_MS + index));
    expect(given.filter(Boolean)).to.have.length(1);
    expect((await store.sessions.find(sessionId))?.forfeitedAtMs).to.equal(BASE_TIME_MS + given.indexOf(true));
    expect(await store.sessions.markPrepared(sessionId, { atMs: BASE_TIME_MS, signedUntilSeconds: 1 })).to.equal(false);
  });

  it("does not forfeit a score that is on chain, of practice or of an open session", async () => {
    const row = await storeEndedSession(store);
    await appendEvents(store, createSnapshotEvent(row));
    expect(await store.sessions.forfeit(row.sessionId, BASE_TIME_MS)).to.equal(false);
    await store.chain.rewind(9);
    expect(await store.sessions.forfeit(row.sessionId, BASE_TIME_MS)).to.equal(true);

    const practice = await storeEndedSession(store, { source: "browser_ws" });
    expect(await store.sessions.forfeit(practice.sessionId, BASE_TIME_MS)).to.equal(false);
    const open = await addSession(store);
    expect(await store.sessions.forfeit(open.sessionId, BASE_TIME_MS)).to.equal(false);
  });

  it("returns the highest forfeited tier of a wallet and a game", async () => {
    const { sessions } = store;
    const first = await storeEndedSession(store);
    const second = await storeEndedSession(store);
    expect(await sessions.getForfeitedTier(ALICE, "shellrunners", "1")).to.equal(0);
    expect(await sessions.forfeitTier(first.sessionId, 2)).to.equal(true);
    expect(await sessions.forfeitTier(first.sessionId, 2)).to.equal(false);
    expect(await sessions.forfeitTier(first.sessionId, 1)).to.equal(false);
    expect(await sessions.forfeitTier(second.sessionId, 1)).to.equal(true);
    expect(await sessions.getForfeitedTier(ALICE, "shellrunners", "1")).to.equal(2);
    expect(await sessions.getForfeitedTier(ALICE, "flappybots", "1")).to.equal(0);
    expect(await sessions.getForfeitedTier(BOB, "shellrunners", "1")).to.equal(0);
  });
});
