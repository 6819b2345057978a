import { expect } from "chai";
import { addSession, createChannelToken, endSession } from "../rows.ts";
import { useDiskWaits, useTempDatabase } from "../suite.ts";

describe("writes that need not survive a crash", () => {
  const database = useTempDatabase();
  const countWaits = useDiskWaits();

  for (const [title, source, waits] of [
    ["a practice starts and ends without a wait for the disk", "browser_ws", 0],
    ["a ranked session waits for the disk at its start and its end", "agent_api", 1],
  ] as const)
    it(title, async () => {
      const store = await database.open();
      const countOf = async <T>(call: Promise<T>): Promise<readonly [waits: number, result: T]> => {
        const before = countWaits();
        const result = await call;
        return [countWaits() - before, result];
      };
      const [ofStart, { sessionId }] = await countOf(addSession(store, { source }));
      const [ofEnd, { phase }] = await countOf(endSession(store, sessionId));
      const [ofToken] = await countOf(store.channelTokens.add(createChannelToken({ sessionId })));
      expect([ofStart, ofEnd, ofToken, phase]).to.deep.equal([waits, waits, 0, "ended"]);
    });
});
