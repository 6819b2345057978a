import { expect } from "chai";
import { frameMessage, helloMessage, serverMessage } from "../../domain/protocol/messages.ts";
import { buildReplay } from "../../domain/replay/build-replay.ts";
import { computeInputsDigest } from "../../domain/replay/inputs-digest.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import { getRules } from "../../games/index.ts";
import { useEach } from "../helpers/fixture.ts";
import { SETTINGS, startLiveTestServer } from "../live/live-suite.ts";

describe("the play channel", () => {
  const testServer = useEach(startLiveTestServer);

  it("a valid token is answered with hello, then with one frame a tick", async () => {
    const row = await testServer.startSession();
    const socket = await testServer.join("play", row);
    const hello = await socket.waitForHello();
    expect(helloMessage.strict().safeParse(hello).error).to.equal(undefined);
    expect(hello).to.include({ v: 1, role: "play", slug: "shellrunners", tickHz: 20, phase: "ready", tick: 0 });
    expect(hello).to.include({ sessionId: row.sessionId, seedCommitment: row.seedCommitment, resumed: false });
    expect(hello.pauseBudget.pauses).to.deep.equal({ left: 3, secondsLeft: 60 });
    expect(hello.spectators).to.deep.equal({ current: 0, max: SETTINGS.spectatorsMax });
    await testServer.advance(1500);
    const frame = await socket.frame((frame) => frame.tick === 5);
    expect(frameMessage.safeParse({ t: "frame", frame }).error).to.equal(undefined);
    expect(frame).to.include({ phase: "running", tMs: 250, livesMax: 3, lives: 3 });
    const ticks = socket.getFrames().filter((frame) => frame.phase === "running");
    expect(ticks.map((frame) => frame.tick)).to.deep.equal(ticks.map((_, i) => i + ticks[0]!.tick));
    expect(socket.getFrames()[0]?.phase).to.equal("ready");
    for (const message of socket.messages) expect(serverMessage.safeParse(message).error).to.equal(undefined);
  });

  it("an input is applied in the next tick, its seq is echoed, and only changes are recorded", async () => {
    const row = await testServer.startSession();
    const socket = await testServer.play(row);
    for (const seq of [1, 2, 3]) socket.send({ t: "input", dir: "left", seq });
    socket.send({ t: "input", dir: "right", seq: 4 });
    socket.send({ t: "ping" });
    await socket.waitForMessage((message) => message.t === "pong");
    const before = socket.getFrames().at(-1)!;
    await testServer.advance(200);
    const after = await socket.frame((frame) => frame.ackSeq === 4);
    expect(after.tick).to.equal(before.tick + 1);
    expect((await socket.frame((frame) => frame.tick === after.tick + 2)).pawn.x).to.be.above(before.pawn.x);
    socket.send({ t: "input", dir: "right" });
    await testServer.advance(200);
    expect(testServer.game.registry.get(row.sessionId)?.recording.inputs).to.deep.equal([[after.tick, 2]]);
  });

  it("several FLAPs within one tick count as one, and a NOOP is not recorded", async () => {
    const row = await testServer.startSession({ slug: "flappybots" });
    const socket = await testServer.play(row);
    for (let i = 0; i < 3; i++) socket.send({ t: "action", action: "FLAP" });
    socket.send({ t: "action", action: "NOOP", seq: 9 });
    socket.send({ t: "ping" });
    await socket.waitForMessage((message) => message.t === "pong");
    await testServer.advance(100);
    const { tick } = await socket.frame((frame) => frame.ackSeq === 9);
    expect(testServer.game.registry.get(row.sessionId)?.recording.inputs).to.deep.equal([[tick, 1]]);
  });

  it("exit ends a session whose score is stored, verified and confirmed by its replay", async () => {
    const row = await testServer.startSession();
    const socket = await testServer.play(row);
    // This seed gives points to a player who does nothing for this long.
    await testServer.advance(14_000);
    socket.send({ t: "cmd", cmd: "exit" });
    const last = await socket.frame((frame) => frame.phase === "ended");
    const end = await socket.waitForMessage((message) => message.t === "end");
    expect(await socket.closed).to.deep.equal({ code: 1000, reason: "EXIT" });
    const stored = (await testServer.store.sessions.find(row.sessionId))!;
    expect(end).to.deep.equal({
      t: "end",
      sessionId: row.sessionId,
      score: last.score.current,
      endReason: "exit",
      replayDigest: stored.replayDigest,
      inputsDigest: computeInputsDigest([[last.tick + 1, 12]]),
      next: { method: "POST", path: "/api/rewards/snapshot", body: { sessionId: row.sessionId } },
    });
    expect(stored).to.include({ phase: "ended", endReason: "exit", score: last.score.current, tick: last.tick });
    await testServer.waitUntil(
      async () => (await testServer.store.sessions.find(row.sessionId))?.verification === "verified",
    );
    const recording = await testServer.store.sessions.getRecording(row.sessionId);
    const verdict = verifyReplay(buildReplay(stored, recording, SETTINGS), getRules);
    expect(verdict.differences).to.deep.equal([]);
    expect(verdict.replayDigest).to.equal(stored.replayDigest);
    expect(verdict.gameSessionHash).to.equal(stored.gameSessionHash);
  });

  it("a game runs until the lives are lost, and its socket closes with GAME_OVER", async () => {
    const row = await testServer.startSession({ slug: "flappybots" });
    const socket = await testServer.play(row);
    while (testServer.game.registry.get(row.sessionId)?.phase === "running") await testServer.advance(1000);
    expect(await socket.closed).to.deep.equal({ code: 1000, reason: "GAME_OVER" });
    expect(socket.messages.at(-1)).to.include({ t: "end", endReason: "lives_lost" });
    expect((await socket.waitForEvent("life_lost")).tick).to.be.above(0);
    expect((await socket.waitForEvent("ended")).endReason).to.equal("lives_lost");
  });

  it("the end of a practice session offers no snapshot", async () => {
    const row = await testServer.startSession({ source: "browser_ws", wallet: null });
    const socket = await testServer.play(row);
    await testServer.advance(3000);
    socket.send({ t: "cmd", cmd: "exit" });
    expect(await socket.waitForMessage((message) => message.t === "end")).to.include({ next: null });
  });

  it("a second end of the same session returns the result of the first", async () => {
    const row = await testServer.startSession();
    const [first, second] = await Promise.all([
      testServer.game.registry.end(row.sessionId, "ended_by_player"),
      testServer.game.registry.end(row.sessionId, "ended_by_player"),
    ]);
    expect(first).to.deep.equal(second);
    expect(first?.endReason).to.equal("ended_by_player");
    expect(await testServer.game.registry.end(row.sessionId, "ended_by_player")).to.equal(null);
    expect(testServer.game.registry.getView(row.sessionId)).to.equal(null);
  });
});
