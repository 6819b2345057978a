import { expect } from "chai";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "./live-suite.ts";

const SESSIONS = 150;

describe("a flush of many sessions", () => {
  /** The start of each recorder transaction, and its number of sessions. */
  let transactions: { readonly atMs: number; readonly sessions: readonly string[] }[];
  const testServer = useEach(startLiveTestServer);
  beforeEach(async () => {
    transactions = [];
    const { record } = testServer.store.sessions;
    testServer.store.sessions.record = (chunks) => {
      transactions.push({ atMs: testServer.clock.monotonicMs(), sessions: chunks.map(({ sessionId }) => sessionId) });
      return record(chunks);
    };
    for (let i = 0; i < SESSIONS; i++) {
      const { sessionId } = await testServer.startSession();
      testServer.game.registry.get(sessionId)!.connectPlayer(testServer.clock.monotonicMs());
    }
  });

  it("a flush is split into short transactions with time for ticks between them, each session once", async () => {
    await testServer.advance(950);
    transactions.length = 0;
    await testServer.advance(950);
    expect(transactions.map(({ sessions }) => sessions.length)).to.deep.equal([64, 64, 22]);
    expect(new Set(transactions.flatMap(({ sessions }) => sessions)).size).to.equal(SESSIONS);
    const [first, second, third] = transactions.map(({ atMs }) => atMs);
    expect(second! - first!).to.be.at.least(100);
    expect(third! - second!).to.be.at.least(100);
    expect(third! - first!).to.be.at.most(500);
  });

  it("a flush finishes without waiting when the server stops", async () => {
    await testServer.advance(2050);
    const begun = transactions.length;
    await testServer.runUntilSettled(testServer.game.drain());
    const last = transactions.slice(begun);
    expect(new Set(last.map(({ atMs }) => atMs)).size, "moments").to.equal(1);
    expect(new Set(last.flatMap(({ sessions }) => sessions)).size).to.be.at.least(SESSIONS - 64);
    for (const session of testServer.game.registry.all()) {
      expect((await testServer.store.sessions.find(session.row.sessionId))?.tick).to.equal(session.tickCount);
    }
  });
});
