import Database from "better-sqlite3";
import { expect } from "chai";
import { createChannelToken, createEndedSession, createSession, createSessionHasher } from "../rows.ts";
import { describeStore } from "../suite.ts";

describeStore("writes of practice sessions", (getFixture) => {
  const { pragma } = Database.prototype;
  /** Commits that did not wait for the disk. */
  let behind = 0;
  beforeEach(() => {
    behind = 0;
    Database.prototype.pragma = function (source, options) {
      if (source === "synchronous = NORMAL") behind += 1;
      return pragma.call(this, source, options);
    };
  });
  afterEach(() => {
    Database.prototype.pragma = pragma;
  });

  async function countOf(run: () => Promise<unknown>): Promise<number> {
    const before = behind;
    await run();
    return behind - before;
  }

  it("do not wait for the disk, and those of ranked sessions do", async () => {
    const { sessions, channelTokens } = getFixture().store;
    const practice = createSession({ source: "browser_ws", wallet: null, agentId: null });
    const ranked = createSession();
    for (const [session, expected] of [
      [practice, 1],
      [ranked, 0],
    ] as const) {
      const { sessionId, source } = session;
      expect(await countOf(() => sessions.add(session)), `${source} start`).to.equal(expected);
      const ended = createEndedSession(sessionId);
      expect(await countOf(() => sessions.end(ended, createSessionHasher(sessionId))), `${source} end`).to.equal(
        expected,
      );
      expect((await sessions.find(sessionId))?.phase).to.equal("ended");
    }
    expect(await countOf(() => channelTokens.add(createChannelToken({ sessionId: ranked.sessionId })))).to.equal(1);
  });
});
