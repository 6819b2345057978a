import { expect } from "chai";
import {
  ALICE,
  BOB,
  chainEvent,
  endedSession,
  hashFor,
  hexOf,
  mine,
  newSession,
  play,
  snapshotOf,
  T0,
} from "./rows.ts";
import { describeStore, race, rejectionOf } from "./suite.ts";

describeStore("session store", (subject) => {
  it("stores a new session that nobody has joined", async () => {
    const { sessions } = subject().store;
    const session = newSession();
    expect(await sessions.add(session)).to.deep.equal({ added: true });
    expect(await sessions.find(session.sessionId)).to.deep.equal({
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
      forfeitedAtMs: null,
      forfeitedTier: null,
      snapshotTxHash: null,
      snapshotBlock: null,
    });
    expect(await sessions.find("unknown")).to.equal(null);
  });

  it("opens one of 50 agent sessions of a wallet and a game", async () => {
    const answers = await race(subject(), (store) => store.sessions.add(newSession()));
    const open = await subject().store.sessions.listOpen();
    expect(open).to.have.length(1);
    expect(answers.filter((answer) => answer.added)).to.have.length(1);
    for (const answer of answers) if (!answer.added) expect(answer.activeSessionId).to.equal(open[0]?.sessionId);
  });

  it("counts the open session per wallet, game and source", async () => {
    const { sessions } = subject().store;
    const first = newSession();
    const practice = { source: "browser_ws", wallet: null, agentId: null } as const;
    for (const session of [
      first,
      newSession({ wallet: BOB }),
      newSession({ slug: "flappybots" }),
      newSession(practice),
      newSession(practice),
      newSession({ source: "browser_ws" }),
    ]) {
      expect(await sessions.add(session)).to.deep.equal({ added: true });
    }
    await sessions.end(endedSession(first.sessionId), hashFor(first.sessionId));
    expect(await sessions.add(newSession())).to.deep.equal({ added: true });
  });

  it("refuses a session id that is taken", async () => {
    const { sessions } = subject().store;
    const session = newSession();
    await sessions.add(session);
    expect((await rejectionOf(sessions.add({ ...session, wallet: BOB }))).message).to.match(/UNIQUE/);
  });

  it("ends a session once, with one sequence, for 50 callers", async () => {
    const session = newSession();
    await subject().store.sessions.add(session);
    const rows = await race(subject(), (store, index) =>
      store.sessions.end(endedSession(session.sessionId, { score: index }), hashFor(session.sessionId)),
    );
    for (const row of rows) expect(row).to.deep.equal(rows[0]);
    expect(rows[0]).to.include({ phase: "ended", endReason: "lives_lost", tick: 1200, sequence: 1n });
    expect(await subject().store.sessions.findByHash(hashFor(session.sessionId)(1n))).to.deep.equal(rows[0]);
    expect(await subject().store.sessions.listOpen()).to.have.length(0);
  });

  it("gives 50 sessions of a wallet that end together 50 sequences", async () => {
    const { store } = subject();
    const ids: string[] = [];
    for (let game = 0; game < 50; game++) {
      const session = newSession({ slug: `game-${game}` });
      await store.sessions.add(session);
      ids.push(session.sessionId);
    }
    const rows = await race(subject(), ({ sessions }, i) => sessions.end(endedSession(ids[i]!), hashFor(ids[i]!)));
    const sequences = rows.map((row) => Number(row.sequence)).sort((a, b) => a - b);
    expect(sequences).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it("counts on above what the chain has seen", async () => {
    const { store } = subject();
    expect((await play(store)).sequence).to.equal(1n);
    const hash = hashFor("elsewhere")(41n);
    await mine(store, chainEvent("ScoreSnapshot", { gameSessionHash: hash, sequence: 41n, score: 1n, scorebank: 1n }));
    expect((await play(store)).sequence).to.equal(42n);
    expect((await play(store, { wallet: BOB })).sequence).to.equal(1n);
  });

  it("numbers agent sessions alone", async () => {
    const { store } = subject();
    const practice = await play(store, { source: "browser_ws" });
    expect(practice).to.include({ phase: "ended", sequence: null, gameSessionHash: null, score: 100 });
    expect(practice.replayDigest).to.equal(hexOf("replay"));
    expect((await play(store)).sequence).to.equal(1n);
  });

  it("does not end what it does not know", async () => {
    const error = await rejectionOf(subject().store.sessions.end(endedSession("unknown"), hashFor("unknown")));
    expect(error.code).to.equal("SESSION_NOT_FOUND");
  });

  it("lists what was ended and not verified yet", async () => {
    const { sessions } = subject().store;
    const { sessionId } = await play(subject().store);
    await play(subject().store, { source: "browser_ws" });
    expect((await sessions.listUnverified(10)).map((row) => row.sessionId)).to.deep.equal([sessionId]);
    await sessions.setVerification(sessionId, "verified");
    expect(await sessions.listUnverified(10)).to.deep.equal([]);
  });

  it("verifies an ended session once", async () => {
    const { store } = subject();
    const open = newSession();
    await store.sessions.add(open);
    expect(await store.sessions.setVerification(open.sessionId, "verified")).to.equal(false);
    const { sessionId } = await store.sessions.end(endedSession(open.sessionId), hashFor(open.sessionId));
    const set = await race(subject(), ({ sessions }, i) =>
      sessions.setVerification(sessionId, i % 2 === 0 ? "verified" : "withheld"),
    );
    expect(set.filter(Boolean)).to.have.length(1);
  });

  it("prepares verified scores alone, and keeps the first time", async () => {
    const { store } = subject();
    const { sessionId } = await play(store);
    expect(await store.sessions.markPrepared(sessionId, T0)).to.equal(false);
    await store.sessions.setVerification(sessionId, "verified");
    expect(await store.sessions.markPrepared(sessionId, T0 + 1)).to.equal(true);
    expect(await store.sessions.markPrepared(sessionId, T0 + 2)).to.equal(true);
    expect((await store.sessions.find(sessionId))?.preparedAtMs).to.equal(T0 + 1);

    const withheld = await play(store);
    await store.sessions.setVerification(withheld.sessionId, "withheld");
    expect(await store.sessions.markPrepared(withheld.sessionId, T0)).to.equal(false);
  });

  it("gives a score up once, and prepares it no more", async () => {
    const { store } = subject();
    const { sessionId } = await play(store);
    await store.sessions.setVerification(sessionId, "verified");
    const given = await race(subject(), ({ sessions }, index) => sessions.forfeit(sessionId, T0 + index));
    expect(given.filter(Boolean)).to.have.length(1);
    expect((await store.sessions.find(sessionId))?.forfeitedAtMs).to.equal(T0 + given.indexOf(true));
    expect(await store.sessions.markPrepared(sessionId, T0)).to.equal(false);
  });

  it("does not give up what is on chain, practised or still played", async () => {
    const { store } = subject();
    const row = await play(store);
    await mine(store, snapshotOf(row));
    expect(await store.sessions.forfeit(row.sessionId, T0)).to.equal(false);
    await store.chain.rewind(9);
    expect(await store.sessions.forfeit(row.sessionId, T0)).to.equal(true);

    const practice = await play(store, { source: "browser_ws" });
    expect(await store.sessions.forfeit(practice.sessionId, T0)).to.equal(false);
    const open = newSession();
    await store.sessions.add(open);
    expect(await store.sessions.forfeit(open.sessionId, T0)).to.equal(false);
  });

  it("remembers the highest tier given up, by wallet and game", async () => {
    const { sessions } = subject().store;
    const first = await play(subject().store);
    const second = await play(subject().store);
    expect(await sessions.forfeitedTierOf(ALICE, "shellrunners")).to.equal(0);
    expect(await sessions.forfeitTier(first.sessionId, 2)).to.equal(true);
    expect(await sessions.forfeitTier(first.sessionId, 2)).to.equal(false);
    expect(await sessions.forfeitTier(first.sessionId, 1)).to.equal(false);
    expect(await sessions.forfeitTier(second.sessionId, 1)).to.equal(true);
    expect(await sessions.forfeitedTierOf(ALICE, "shellrunners")).to.equal(2);
    expect(await sessions.forfeitedTierOf(ALICE, "flappybots")).to.equal(0);
    expect(await sessions.forfeitedTierOf(BOB, "shellrunners")).to.equal(0);
  });
});
