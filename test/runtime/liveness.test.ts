import { expect } from "chai";
import { SESSION_TIMES } from "../../backend/domain/session.ts";
import { Liveness } from "../../backend/services/live/liveness.ts";

describe("liveness", () => {
  const reasonAt = (liveness: Liveness, seconds: number) => {
    const turn = liveness.advance(seconds * 1000)[0];
    return turn?.turn === "end" ? turn.reason : null;
  };

  it("ends every session after 30 minutes, whatever is connected", () => {
    const liveness = new Liveness(0);
    liveness.join(1000);
    expect(reasonAt(liveness, SESSION_TIMES.maxDurationSeconds - 1)).to.equal(null);
    expect(reasonAt(liveness, SESSION_TIMES.maxDurationSeconds)).to.equal("max_duration");
  });

  it("counts what was played before a restart into the 30 minutes", () => {
    const liveness = new Liveness(0, { playedMs: 29 * 60_000, pauses: 0, pausedByPlayer: false });
    liveness.join(0);
    expect(reasonAt(liveness, 60)).to.equal("max_duration");
  });

  it("tells heartbeat_timeout, disconnect_timeout and never_joined apart", () => {
    const silent = new Liveness(0);
    silent.join(0);
    silent.leave(10_000);
    expect(reasonAt(silent, 69)).to.equal(null);
    expect(reasonAt(silent, 70)).to.equal("heartbeat_timeout");

    const away = new Liveness(0);
    away.join(0);
    away.leave(0);
    for (let second = 15; second < SESSION_TIMES.awaySeconds; second += 15) {
      away.heartbeat(second * 1000);
      expect(reasonAt(away, second)).to.equal(null);
    }
    expect(reasonAt(away, SESSION_TIMES.awaySeconds)).to.equal("disconnect_timeout");

    expect(reasonAt(new Liveness(0), 119)).to.equal(null);
    expect(reasonAt(new Liveness(0), 120)).to.equal("never_joined");
  });

  it("waits 30 s after a restart, then ends with server_restart", () => {
    const waiting = new Liveness(0, { playedMs: 5000, pauses: 1, pausedByPlayer: false });
    expect(waiting.phase).to.equal("paused");
    expect(waiting.pausedBy).to.equal("restart");
    expect(waiting.pauseBudget(0).pausesLeft).to.equal(2);
    expect(reasonAt(waiting, 29)).to.equal(null);
    expect(reasonAt(waiting, 30)).to.equal("server_restart");
    const joined = new Liveness(0, { playedMs: 5000, pauses: 0, pausedByPlayer: false });
    joined.join(29_000);
    expect(joined.phase).to.equal("running");
    expect(reasonAt(joined, 60)).to.equal(null);
  });

  it("keeps a player's own pause over a restart", () => {
    const liveness = new Liveness(0, { playedMs: 5000, pauses: 1, pausedByPlayer: true });
    liveness.join(10_000);
    expect([liveness.phase, liveness.pausedBy]).to.deep.equal(["paused", "player"]);
    expect(liveness.advance(69_000)).to.deep.equal([]);
    expect(liveness.advance(70_000)).to.deep.equal([{ turn: "pause_spent" }]);
    expect(liveness.phase).to.equal("running");
  });
});
