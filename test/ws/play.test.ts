import { expect } from "chai";
import { frameMessage, helloMessage, serverMessage } from "../../backend/domain/protocol.ts";
import { verifyReplay } from "../../backend/domain/verify-replay.ts";
import { rulesOf } from "../../backend/games/index.ts";
import { buildReplay } from "../../backend/services/live/replay-of.ts";
import { type LiveSuite, SETTINGS, startLiveSuite } from "../runtime/live-suite.ts";

describe("the play channel", () => {
  let suite: LiveSuite;
  beforeEach(async () => {
    suite = await startLiveSuite();
  });
  afterEach(() => suite.stop());

  it("answers a good token with hello, then one frame a tick", async () => {
    const row = await suite.startSession();
    const socket = await suite.join("play", row);
    const hello = await socket.hello();
    expect(helloMessage.strict().safeParse(hello).error).to.equal(undefined);
    expect(hello).to.include({ v: 1, role: "play", slug: "shellrunners", tickHz: 20, phase: "ready", tick: 0 });
    expect(hello).to.include({ sessionId: row.sessionId, seedCommitment: row.seedCommitment, resumed: false });
    expect(hello.pauseBudget).to.deep.equal({ pausesLeft: 3, secondsLeft: 60 });
    expect(hello.spectators).to.deep.equal({ current: 0, max: SETTINGS.spectatorsMax });
    await suite.run(1500);
    const frame = await socket.frame((frame) => frame.tick === 5);
    expect(frameMessage.safeParse({ t: "frame", frame }).error).to.equal(undefined);
    expect(frame).to.include({ phase: "running", tMs: 250, livesMax: 3, lives: 3 });
    const ticks = socket.frames().filter((frame) => frame.phase === "running");
    expect(ticks.map((frame) => frame.tick)).to.deep.equal(ticks.map((_, i) => i + ticks[0]!.tick));
    expect(socket.frames()[0]?.phase).to.equal("ready");
    for (const message of socket.messages) expect(serverMessage.safeParse(message).error).to.equal(undefined);
  });

  it("steers in the next tick, echoes seq and records changes only", async () => {
    const row = await suite.startSession();
    const socket = await suite.play(row);
    for (const seq of [1, 2, 3]) socket.send({ t: "input", dir: "left", seq });
    socket.send({ t: "input", dir: "right", seq: 4 });
    socket.send({ t: "ping" });
    await socket.find((message) => message.t === "pong");
    const before = socket.frames().at(-1)!;
    await suite.run(200);
    const after = await socket.frame((frame) => frame.ackSeq === 4);
    expect(after.tick).to.equal(before.tick + 1);
    expect((await socket.frame((frame) => frame.tick === after.tick + 2)).pawn.x).to.be.above(before.pawn.x);
    socket.send({ t: "input", dir: "right" });
    await suite.run(200);
    expect(suite.game.live.get(row.sessionId)?.recording.inputs).to.deep.equal([[after.tick, 2]]);
  });

  it("takes several FLAPs within one tick as one, and records no NOOP", async () => {
    const row = await suite.startSession({ slug: "flappybots" });
    const socket = await suite.play(row);
    for (let i = 0; i < 3; i++) socket.send({ t: "action", action: "FLAP" });
    socket.send({ t: "action", action: "NOOP", seq: 9 });
    socket.send({ t: "ping" });
    await socket.find((message) => message.t === "pong");
    await suite.run(100);
    const { tick } = await socket.frame((frame) => frame.ackSeq === 9);
    expect(suite.game.live.get(row.sessionId)?.recording.inputs).to.deep.equal([[tick, 1]]);
  });

  it("ends by exit with its score, stored, verified and derivable again", async () => {
    const row = await suite.startSession();
    const socket = await suite.play(row);
    await suite.run(5000);
    socket.send({ t: "cmd", cmd: "exit" });
    const last = await socket.frame((frame) => frame.phase === "ended");
    const end = await socket.find((message) => message.t === "end");
    expect(await socket.closed).to.deep.equal({ code: 1000, reason: "EXIT" });
    const stored = (await suite.store.sessions.find(row.sessionId))!;
    expect(end).to.deep.equal({
      t: "end",
      sessionId: row.sessionId,
      score: last.score.current,
      endReason: "exit",
      replayDigest: stored.replayDigest,
      next: { method: "POST", path: "/api/rewards/snapshot", body: { sessionId: row.sessionId } },
    });
    expect(stored).to.include({ phase: "ended", endReason: "exit", score: last.score.current, tick: last.tick });
    await suite.until(async () => (await suite.store.sessions.find(row.sessionId))?.verification === "verified");
    const recording = await suite.store.sessions.recording(row.sessionId);
    const verdict = verifyReplay(buildReplay(stored, recording, SETTINGS), rulesOf);
    expect(verdict.differences).to.deep.equal([]);
    expect(verdict.replayDigest).to.equal(stored.replayDigest);
    expect(verdict.gameSessionHash).to.equal(stored.gameSessionHash);
  });

  it("plays on until the lives are lost, and closes with GAME_OVER", async () => {
    const row = await suite.startSession({ slug: "flappybots" });
    const socket = await suite.play(row);
    while (suite.game.live.get(row.sessionId)?.phase === "running") await suite.run(1000);
    expect(await socket.closed).to.deep.equal({ code: 1000, reason: "GAME_OVER" });
    expect(socket.messages.at(-1)).to.include({ t: "end", endReason: "lives_lost" });
    expect((await socket.event("life_lost")).tick).to.be.above(0);
    expect((await socket.event("ended")).endReason).to.equal("lives_lost");
  });

  it("offers no snapshot for a practice session", async () => {
    const row = await suite.startSession({ source: "browser_ws", wallet: null });
    const socket = await suite.play(row);
    await suite.run(3000);
    socket.send({ t: "cmd", cmd: "exit" });
    expect(await socket.find((message) => message.t === "end")).to.include({ next: null });
  });

  it("joins a second end of the same session to the first", async () => {
    const row = await suite.startSession();
    const [first, second] = await Promise.all([
      suite.game.live.end(row.sessionId, "ended_by_player"),
      suite.game.live.end(row.sessionId, "ended_by_player"),
    ]);
    expect(first).to.deep.equal(second);
    expect(first?.endReason).to.equal("ended_by_player");
    expect(await suite.game.live.end(row.sessionId, "ended_by_player")).to.equal(null);
    expect(suite.game.live.view(row.sessionId)).to.equal(null);
  });
});
