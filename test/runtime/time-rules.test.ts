import { expect } from "chai";
import { verifyReplay } from "../../backend/domain/verify-replay.ts";
import { rulesOf } from "../../backend/games/index.ts";
import type { SessionRow } from "../../backend/ports.ts";
import { buildReplay } from "../../backend/services/live/replay-of.ts";
import { type LiveSuite, SETTINGS, startLiveSuite } from "./live-suite.ts";

describe("the time rules of a session", () => {
  let suite: LiveSuite;
  let row: SessionRow;
  beforeEach(async () => {
    suite = await startLiveSuite();
    row = await suite.startSession();
  });
  afterEach(() => suite.stop());

  const phase = () => suite.game.live.view(row.sessionId)?.phase;
  const tick = () => suite.game.live.view(row.sessionId)?.tick;
  const ended = async () => {
    await suite.until(async () => (await suite.store.sessions.find(row.sessionId))?.phase === "ended");
    return (await suite.store.sessions.find(row.sessionId))?.endReason;
  };

  it("is ready for one second from the player's first socket", async () => {
    await suite.run(2000);
    expect(phase()).to.equal("ready");
    await suite.join("play", row);
    await suite.run(950);
    expect([phase(), tick()]).to.deep.equal(["ready", 0]);
    await suite.run(150);
    expect(phase()).to.equal("running");
    expect(tick()).to.be.above(0);
  });

  it("ends after 120 s when nobody joins, however many heartbeats come", async () => {
    for (let i = 0; i < 7; i++) {
      suite.clock.advance(15_000);
      expect(suite.game.live.heartbeat(row.sessionId)?.expiresInSeconds).to.equal(120 - 15 * (i + 1));
    }
    suite.clock.advance(14_900);
    expect(phase()).to.equal("ready");
    suite.clock.advance(150);
    expect(await ended()).to.equal("never_joined");
    expect(suite.game.live.heartbeat(row.sessionId)).to.equal(null);
  });

  it("pauses three times, 60 s in all, and says so", async () => {
    const socket = await suite.play(row);
    const command = async (cmd: string) => {
      socket.send({ t: "cmd", cmd });
      const pongs = socket.messages.filter((message) => message.t === "pong").length;
      socket.send({ t: "ping" });
      await suite.until(() => socket.messages.filter((message) => message.t === "pong").length > pongs);
    };
    await command("pause");
    expect(phase()).to.equal("paused");
    const still = tick();
    await suite.run(1000);
    expect(tick()).to.equal(still);
    expect((await socket.frame((frame) => frame.phase === "paused")).tick).to.equal(still);
    expect(await socket.event("paused")).to.include({ by: "player", tick: still });
    await command("pause");
    await command("resume");
    await suite.run(50);
    expect(await socket.event("resumed")).to.include({ tick: still });
    expect(tick()).to.equal(still! + 1);
    await command("pause");
    await command("resume");
    await command("pause");
    await suite.run(58_950);
    expect(phase()).to.equal("paused");
    await suite.run(100);
    expect(phase()).to.equal("running");
    await command("pause");
    expect(phase()).to.equal("running");
    expect(socket.messages.at(-2)).to.include({ t: "error", code: "PAUSE_LIMIT", fatal: false });
    await command("exit");
    expect(await ended()).to.equal("exit");
    const stored = (await suite.store.sessions.find(row.sessionId))!;
    const recording = await suite.store.sessions.recording(row.sessionId);
    expect(recording.inputs.map(([, code]) => code)).to.deep.equal([10, 11, 10, 11, 10, 11, 12]);
    expect(verifyReplay(buildReplay(stored, recording, SETTINGS), rulesOf).differences).to.deep.equal([]);
  });

  it("pauses 30 s for a player that went away, takes the resumed player back, and steers on", async () => {
    const first = await suite.play(row);
    await suite.run(500);
    first.ws.terminate();
    await suite.until(() => phase() === "paused");
    const still = tick();
    await suite.run(29_000);
    expect([phase(), tick()]).to.deep.equal(["paused", still]);
    const second = await suite.join("play", row);
    expect(await second.hello()).to.include({ resumed: true, phase: "running", tick: still });
    expect((await second.hello()).pauseBudget).to.deep.equal({ pausesLeft: 3, secondsLeft: 60 });
    await suite.run(100);
    expect(tick()).to.be.above(still!);
    expect((await second.event("resumed")).tick).to.equal(still);
  });

  it("runs on with nobody steering after the grace, then ends by the heartbeat rule with its score", async () => {
    const socket = await suite.play(row);
    socket.send({ t: "input", dir: "left", seq: 1 });
    await suite.run(100);
    await socket.frame((frame) => frame.ackSeq === 1);
    socket.ws.terminate();
    await suite.until(() => phase() === "paused");
    const still = tick()!;
    await suite.run(30_100);
    expect(phase()).to.equal("running");
    const inputs = suite.game.live.get(row.sessionId)?.recording.inputs;
    expect(inputs?.at(-1)).to.deep.equal([still + 1, 0]);
    while (phase() === "running") await suite.run(500);
    expect(["heartbeat_timeout", "lives_lost"]).to.include(await ended());
  });

  it("ends with heartbeat_timeout 60 s after the player's socket, later when heartbeats come", async () => {
    const silent = row;
    const beating = await suite.startSession();
    for (const session of [silent, beating]) {
      const socket = await suite.play(session);
      // Paused, so that hunger does not end the game before the rule does.
      socket.send({ t: "cmd", cmd: "pause" });
      await suite.until(() => suite.game.live.view(session.sessionId)?.phase === "paused");
      socket.ws.terminate();
    }
    await suite.until(() => suite.sockets.stats().connections === 0);
    await suite.run(30_000);
    expect(suite.game.live.heartbeat(beating.sessionId)?.expiresInSeconds).to.equal(60);
    await suite.run(31_000);
    await suite.until(async () => (await suite.store.sessions.find(silent.sessionId))?.phase === "ended");
    const [first, second] = await Promise.all([silent, beating].map((s) => suite.store.sessions.find(s.sessionId)));
    expect(first?.endReason).to.equal("heartbeat_timeout");
    expect(second?.endReason).to.not.equal("heartbeat_timeout");
  });

  it("keeps its pace when the wall clock jumps", async () => {
    await suite.play(row);
    const before = tick()!;
    for (const jumpMs of [10 * 60_000, -20 * 60_000, 2 * 86_400_000]) {
      suite.clock.jumpWall(jumpMs);
      await suite.run(500);
    }
    expect(tick()).to.equal(before + 30);
    expect(phase()).to.equal("running");
  });

  it("displaces the player's first socket by a second one, and the first can never steer again", async () => {
    const first = await suite.play(row);
    const session = suite.game.live.get(row.sessionId)!;
    const second = await suite.join("play", row);
    expect((await second.hello()).resumed).to.equal(true);
    expect(await first.closed).to.deep.equal({ code: 4009, reason: "DISPLACED" });
    expect([phase(), session.playerConnected]).to.deep.equal(["running", true]);
    expect(session.steer(1, { t: "input", dir: "left" }, 1)).to.equal(true);
    expect(session.command(1, "exit", undefined, suite.clock.monotonicMs())).to.equal("ignored");
    session.disconnectPlayer(1, suite.clock.monotonicMs());
    await suite.run(100);
    expect([phase(), session.recording.inputs.length]).to.deep.equal(["running", 0]);
    second.send({ t: "input", dir: "right", seq: 2 });
    await suite.run(100);
    await second.frame((frame) => frame.ackSeq === 2);
    expect(session.recording.inputs.map(([, code]) => code)).to.deep.equal([2]);
  });

  it("never steers from the first socket through fifty quick displacements", async () => {
    let socket = await suite.play(row);
    for (let i = 0; i < 50; i++) {
      const next = await suite.join("play", row);
      expect((await socket.closed).code).to.equal(4009);
      socket = next;
    }
    await suite.until(() => suite.sockets.stats().connections === 1);
    expect(suite.sockets.stats().channels).to.equal(1);
    expect(phase()).to.equal("running");
  });
});
