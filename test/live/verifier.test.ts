import { expect } from "chai";
import { Verifier } from "../../backend/live/verifier.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { findGame } from "../../games/index.ts";
import { silentLog } from "../adapters/chain/chain-fixture.ts";
import { TestClock } from "../helpers/test-clock.ts";

describe("the check of an ended session's score", () => {
  const ENDED = {
    ...{ sessionId: "one", source: "agent_api", verification: "pending", endReason: "lives_lost" },
    ...{ slug: "flappybots", rulesVersion: findGame("flappybots")!.rulesVersion, wallet: "0x01", sequence: 1n },
  };
  function open() {
    const read: string[] = [];
    const sessions = {
      getRecording: (sessionId: string) => {
        read.push(sessionId);
        return Promise.reject(new Error("the recording is damaged"));
      },
    };
    const verifier = new Verifier({ sessions, clock: new TestClock(), log: silentLog } as never);
    return { read, verify: (change: object) => verifier.verify({ ...ENDED, ...change } as unknown as SessionRow) };
  }

  it("is repeated for no session that has a result, is practice, or has not ended", async () => {
    const { read, verify } = open();
    for (const verification of ["verified", "withheld"]) expect(await verify({ verification })).to.equal(verification);
    for (const change of [{ source: "browser_ws" }, { endReason: null }])
      expect(await verify(change)).to.equal("pending");
    expect(read).to.deep.equal([]);
  });

  it("runs once for calls at the same time, and again after a failure", async () => {
    const { read, verify } = open();
    const runs = [verify({}), verify({}), verify({ sessionId: "two" })];
    expect(runs[0]).to.equal(runs[1]);
    expect(read).to.deep.equal(["one", "two"]);
    await Promise.allSettled(runs);
    await Promise.allSettled([verify({})]);
    expect(read).to.deep.equal(["one", "two", "one"]);
  });
});
