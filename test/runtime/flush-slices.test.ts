import { expect } from "chai";
import { type LiveSuite, startLiveSuite } from "./live-suite.ts";

const SESSIONS = 150;

describe("a flush of many sessions", () => {
  let suite: LiveSuite;
  /** When each transaction of the recorder began, and how many sessions it held. */
  let transactions: { readonly atMs: number; readonly sessions: readonly string[] }[];
  beforeEach(async () => {
    suite = await startLiveSuite();
    transactions = [];
    const { record } = suite.store.sessions;
    suite.store.sessions.record = (chunks) => {
      transactions.push({ atMs: suite.clock.monotonicMs(), sessions: chunks.map(({ sessionId }) => sessionId) });
      return record(chunks);
    };
    for (let i = 0; i < SESSIONS; i++) {
      const { sessionId } = await suite.startSession();
      suite.game.live.get(sessionId)!.connectPlayer(suite.clock.monotonicMs());
    }
  });
  afterEach(() => suite.stop());

  it("is cut into short transactions with time for ticks between them, and holds each session once", async () => {
    await suite.run(950);
    transactions.length = 0;
    await suite.run(950);
    expect(transactions.map(({ sessions }) => sessions.length)).to.deep.equal([64, 64, 22]);
    expect(new Set(transactions.flatMap(({ sessions }) => sessions)).size).to.equal(SESSIONS);
    const [first, second, third] = transactions.map(({ atMs }) => atMs);
    expect(second! - first!).to.be.at.least(100);
    expect(third! - second!).to.be.at.least(100);
    expect(third! - first!).to.be.at.most(500);
  });

  it("is finished without waiting when the server stops", async () => {
    await suite.run(2050);
    const begun = transactions.length;
    await suite.driven(suite.game.drain());
    const last = transactions.slice(begun);
    expect(new Set(last.map(({ atMs }) => atMs)).size, "moments").to.equal(1);
    expect(new Set(last.flatMap(({ sessions }) => sessions)).size).to.be.at.least(SESSIONS - 64);
    for (const session of suite.game.live.all()) {
      expect((await suite.store.sessions.find(session.row.sessionId))?.tick).to.equal(session.tickCount);
    }
  });
});
