import { expect } from "chai";
import fc from "fast-check";
import { Liveness, type PlayedTime } from "../../backend/live/liveness.ts";
import { SESSION_TIMES } from "../../domain/session.ts";

const PLAYED: PlayedTime = {
  playedMs: 5000,
  pauses: 0,
  pausedByPlayer: false,
  playerPauseMs: 0,
  disconnectPauseMs: 0,
};
const TICK_MS = 50;

/** Lets a player leave and return for some milliseconds each. Returns how many ticks of the game were missing. */
function countMissedTicks(drops: readonly (readonly [awayMs: number, backMs: number])[]): number {
  const liveness = new Liveness(0);
  liveness.join(0);
  liveness.advance(1000);
  let nowMs = 1000;
  let missed = 0;
  const advanceTo = (endMs: number): void => {
    for (let tickMs = (Math.floor(nowMs / TICK_MS) + 1) * TICK_MS; tickMs <= endMs; tickMs += TICK_MS) {
      liveness.advance(tickMs);
      if (liveness.phase === "paused") missed += 1;
    }
    nowMs = endMs;
  };
  for (const [awayMs, backMs] of drops) {
    liveness.leave(nowMs);
    advanceTo(nowMs + awayMs);
    liveness.join(nowMs);
    advanceTo(nowMs + backMs);
  }
  return missed;
}

describe("liveness", () => {
  const getReasonAt = (liveness: Liveness, seconds: number) => {
    const transition = liveness.advance(seconds * 1000)[0];
    return transition?.type === "end" ? transition.reason : null;
  };

  it("every session ends after 30 minutes, connected or not", () => {
    const liveness = new Liveness(0);
    liveness.join(1000);
    expect(getReasonAt(liveness, SESSION_TIMES.maxDurationSeconds - 1)).to.equal(null);
    expect(getReasonAt(liveness, SESSION_TIMES.maxDurationSeconds)).to.equal("max_duration");
  });

  it("the 30 minutes include the time that was played before a restart", () => {
    const liveness = new Liveness(0, { ...PLAYED, playedMs: 29 * 60_000 });
    liveness.join(0);
    expect(getReasonAt(liveness, 60)).to.equal("max_duration");
  });

  it("heartbeat_timeout, disconnect_timeout and never_joined are distinct end reasons", () => {
    const silent = new Liveness(0);
    silent.join(0);
    silent.leave(10_000);
    expect(getReasonAt(silent, 69)).to.equal(null);
    expect(getReasonAt(silent, 70)).to.equal("heartbeat_timeout");

    const absentSeconds = new Liveness(0);
    absentSeconds.join(0);
    absentSeconds.leave(0);
    for (let second = 15; second < SESSION_TIMES.awaySeconds; second += 15) {
      absentSeconds.heartbeat(second * 1000);
      expect(getReasonAt(absentSeconds, second)).to.equal(null);
    }
    expect(getReasonAt(absentSeconds, SESSION_TIMES.awaySeconds)).to.equal("disconnect_timeout");

    expect(getReasonAt(new Liveness(0), 119)).to.equal(null);
    expect(getReasonAt(new Liveness(0), 120)).to.equal("never_joined");
  });

  it("a game starts when the time to get ready has passed since the first join, or at once on demand", () => {
    const readyMs = SESSION_TIMES.readySeconds * 1000;
    const liveness = new Liveness(0);
    liveness.advance(100 + readyMs);
    expect(liveness.phase, "before a join").to.equal("ready");
    liveness.startNow();
    expect(liveness.phase, "on demand before a join").to.equal("ready");
    liveness.join(10_000);
    liveness.join(10_001);
    liveness.advance(10_000 + readyMs - 1);
    expect(liveness.phase).to.equal("ready");
    liveness.advance(10_000 + readyMs);
    expect(liveness.phase).to.equal("running");
    const onDemand = new Liveness(0);
    onDemand.join(0);
    onDemand.startNow();
    expect(onDemand.phase).to.equal("running");
  });

  it("a player's pauses are limited in number and time, and only a paused game resumes", () => {
    const liveness = new Liveness(0);
    liveness.join(0);
    expect(liveness.pause(0), "before the start").to.equal("ignored");
    liveness.startNow();
    expect(liveness.resume(0)).to.equal("ignored");
    for (let pauses = 0; pauses < SESSION_TIMES.pauseCount; pauses++) {
      expect(liveness.pause(1_000)).to.equal("done");
      expect(liveness.pause(1_000), "while paused").to.equal("ignored");
      expect(liveness.resume(1_001)).to.equal("done");
    }
    expect(liveness.pause(2_000)).to.equal("denied");
    const secondsLeft = SESSION_TIMES.pauseSeconds - SESSION_TIMES.pauseCount / 1000;
    expect(liveness.pauseBudget(2_000).pauses).to.deep.equal({ left: 0, secondsLeft });
    const long = new Liveness(0);
    long.join(0);
    long.startNow();
    long.pause(0);
    const spentMs = SESSION_TIMES.pauseSeconds * 1000;
    expect(long.advance(spentMs - 1)).to.deep.equal([]);
    expect(long.advance(spentMs)).to.deep.equal([{ type: "pause_spent" }]);
    expect(long.pause(spentMs), "with no time left").to.equal("denied");
  });

  it("a session waits 30 s after a restart, then ends with server_restart", () => {
    const waiting = new Liveness(0, { ...PLAYED, pauses: 1 });
    expect(waiting.phase).to.equal("paused");
    expect(waiting.pausedBy).to.equal("restart");
    expect(waiting.pauseBudget(0).pauses.left).to.equal(2);
    expect(getReasonAt(waiting, 29)).to.equal(null);
    expect(getReasonAt(waiting, 30)).to.equal("server_restart");
    const joined = new Liveness(0, PLAYED);
    joined.join(29_000);
    expect(joined.phase).to.equal("running");
    expect(getReasonAt(joined, 60)).to.equal(null);
  });

  it("a player's pause survives a restart", () => {
    const liveness = new Liveness(0, { ...PLAYED, pauses: 1, pausedByPlayer: true });
    liveness.join(10_000);
    expect([liveness.phase, liveness.pausedBy]).to.deep.equal(["paused", "player"]);
    expect(liveness.advance(69_000)).to.deep.equal([]);
    expect(liveness.advance(70_000)).to.deep.equal([{ type: "pause_spent" }]);
    expect(liveness.phase).to.equal("running");
  });

  it("stands still for at most 60 s, plus one tick for each loss within the budget, however the socket drops", () => {
    const { disconnectPauseSeconds, disconnectCostSeconds } = SESSION_TIMES;
    const missedMax = (disconnectPauseSeconds * 1000) / TICK_MS + disconnectPauseSeconds / disconnectCostSeconds;
    const drop = fc.tuple(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 2000 }));
    fc.assert(
      fc.property(fc.array(drop, { maxLength: 60 }), (drops) => {
        expect(countMissedTicks(drops)).to.be.at.most(missedMax);
      }),
      { numRuns: 200 },
    );
  });

  it("a socket that is dropped for the moment of a tick, again and again, gains a tick for each second of the budget", () => {
    const drops = Array.from({ length: 5000 }, () => [2, TICK_MS - 2] as const);
    // The first tick is at the end of its 50 ms, so leave a millisecond before it and return one after it.
    const missed = countMissedTicks([[TICK_MS - 1, 0], ...drops]);
    expect(missed).to.be.at.most(SESSION_TIMES.disconnectPauseSeconds + 1);
  });

  it("pauses before a restart still count", () => {
    const liveness = new Liveness(0, { ...PLAYED, pauses: 1, playerPauseMs: 25_000, disconnectPauseMs: 45_000 });
    expect(liveness.pauseBudget(0)).to.deep.include({
      pauses: { left: 2, secondsLeft: 35 },
      disconnects: { secondsLeft: 15 },
    });
  });

  it("a deployment may allow shorter pauses, or none", () => {
    const liveness = new Liveness(0, undefined, 0);
    liveness.join(0);
    liveness.advance(1000);
    liveness.leave(2000);
    expect(liveness.phase).to.equal("running");
    expect(new Liveness(0, undefined, 20).pauseBudget(0).disconnects).to.deep.equal({ secondsLeft: 20 });
  });

  it("one disconnect pauses the game for 30 s, and its end is reported once", () => {
    const liveness = new Liveness(0);
    liveness.join(0);
    liveness.advance(1000);
    liveness.leave(10_000);
    expect(liveness.advance(39_999)).to.deep.equal([]);
    expect(liveness.phase).to.equal("paused");
    expect(liveness.advance(40_000)).to.deep.equal([{ type: "grace_over" }]);
    expect(liveness.advance(40_050)).to.deep.equal([]);
    expect(liveness.phase).to.equal("running");
    expect(liveness.pauseBudget(40_050).disconnects).to.deep.equal({ secondsLeft: 30 });
  });

  it("a player that leaves with a spent budget does not pause the game, and its held input is released", () => {
    const liveness = new Liveness(0);
    liveness.join(0);
    liveness.advance(1000);
    for (const leftAtMs of [10_000, 50_000]) {
      liveness.leave(leftAtMs);
      liveness.advance(leftAtMs + 30_000);
      liveness.join(leftAtMs + 31_000);
    }
    liveness.leave(90_000);
    expect(liveness.phase).to.equal("running");
    expect(liveness.advance(90_050)).to.deep.equal([{ type: "grace_over" }]);
    expect(liveness.advance(90_100)).to.deep.equal([]);
  });
});
