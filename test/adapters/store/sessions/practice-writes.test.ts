import { expect } from "chai";
import { openStore } from "../../../../backend/adapters/store/open-store.ts";
import { WriteAheadLog } from "../../../../backend/adapters/store/write-ahead-log.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { createChannelToken, createEndedSession, createSession, createSessionHasher } from "../rows.ts";
import { createTempDatabase } from "../suite.ts";

describe("writes of practice sessions", () => {
  const folder = createTempDatabase();
  let store: Store;
  before(async () => {
    store = await openStore(folder);
  });
  after(async () => {
    await store.close();
    folder.remove();
  });

  const { sync } = WriteAheadLog.prototype;
  let waits = 0;
  beforeEach(() => {
    waits = 0;
    WriteAheadLog.prototype.sync = function () {
      waits += 1;
      return sync.call(this);
    };
  });
  afterEach(() => {
    WriteAheadLog.prototype.sync = sync;
  });

  async function countOf(run: () => Promise<unknown>): Promise<number> {
    const before = waits;
    await run();
    return waits - before;
  }

  it("do not wait for the disk, and those of ranked sessions do", async () => {
    const { sessions, channelTokens } = store;
    const practice = createSession({ source: "browser_ws", wallet: null, agentId: null });
    const ranked = createSession();
    for (const [session, expected] of [
      [practice, 0],
      [ranked, 1],
    ] as const) {
      const { sessionId, source } = session;
      expect(await countOf(() => sessions.add(session)), `${source} start`).to.equal(expected);
      const ended = createEndedSession(sessionId);
      expect(await countOf(() => sessions.end(ended, createSessionHasher(sessionId))), `${source} end`).to.equal(
        expected,
      );
      expect((await sessions.find(sessionId))?.phase).to.equal("ended");
    }
    expect(await countOf(() => channelTokens.add(createChannelToken({ sessionId: ranked.sessionId })))).to.equal(0);
  });
});
