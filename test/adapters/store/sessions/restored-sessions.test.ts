import { expect } from "chai";
import { closeOpenSessions } from "../../../../backend/app/restore-backup.ts";
import { ALICE, addSession, BASE_TIME_MS, createChunk } from "../rows.ts";
import { describeStore } from "../suite.ts";

const CHAIN = { chainId: 31337, rewards: "0x000000000000000000000000000000000000dEaD" } as const;
const SCORE = 40;
const FORFEITED = { phase: "ended", score: SCORE, forfeitedAtMs: BASE_TIME_MS };

describeStore("the open sessions of a restored backup", (store) => {
  it("end without a score that counts, also when the command is interrupted and repeated", async () => {
    const open = [await addSession(store), await addSession(store, { slug: "flappybots" })];
    const recorded = { tick: 5, score: SCORE, inputs: [] };
    await store.sessions.record(open.map(({ sessionId }) => createChunk(sessionId, recorded)));
    const interrupted = {
      ...store.sessions,
      end: async (...args: Parameters<typeof store.sessions.end>) => {
        await store.sessions.end(...args);
        throw new Error("the connection is lost");
      },
    };
    const failure = closeOpenSessions({ sessions: interrupted }, CHAIN, BASE_TIME_MS);
    expect(await failure.catch((error: Error) => error.message)).to.equal("the connection is lost");
    expect(await closeOpenSessions(store, CHAIN, BASE_TIME_MS), "the rest").to.equal(1);
    for (const { sessionId } of open)
      expect(await store.sessions.find(sessionId)).to.include({ endReason: "server_restart", ...FORFEITED });
    expect(await store.sessions.listPending(ALICE, null, 10)).to.deep.equal([]);
  });
});
