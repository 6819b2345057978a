import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { buildReplay } from "../../domain/replay/build-replay.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import { getRules } from "../../games/index.ts";
import { useEach } from "../helpers/fixture.ts";
import { SETTINGS, startLiveTestServer } from "./live-suite.ts";

describe("the time rules of a session", () => {
  let row: SessionRow;
  const testServer = useEach(startLiveTestServer);
  beforeEach(async () => {
    row = await testServer.startSession();
  });

  const phase = () => testServer.game.registry.getView(row.sessionId)?.phase;
  const tick = () => testServer.game.registry.getView(row.sessionId)?.tick;
  const ended = async () => {
    await testServer.waitUntil(async () => (await testServer.store.sessions.find(row.sessionId))?.phase === "ended");
    return (await testServer.store.sessions.find(row.sessionId))?.endReason;
  };

  it("a session stays ready for one second after the player's first socket", async () => {
    await testServer.advance(2000);
    expect(phase()).to.equal("ready");
    await testServer.join("play", row);
    await testServer.advance(950);
    expect([phase(), tick()]).to.deep.equal(["ready", 0]);
    await testServer.advance(150);
    expect(phase()).to.equal("running");
    expect(tick()).to.be.above(0);
  });

  it("a session without a player ends after 120 s, with any number of heartbeats", async () => {
    for (let i = 0; i < 7; i++) {
      testServer.clock.advance(15_000);
      expect(testServer.game.registry.heartbeat(row.sessionId)?.expiresInSeconds).to.equal(120 - 15 * (i + 1));
    }
    testServer.clock.advance(14_900);
    expect(phase()).to.equal("ready");
    testServer.clock.advance(150);
    expect(await ended()).to.equal("never_joined");
    expect(testServer.game.registry.heartbeat(row.sessionId)).to.equal(null);
  });

  it("a session pauses at most three times and 60 s in total, and reports the remaining budget", async () => {
    const socket = await testServer.play(row);
    const command = async (cmd: string) => {
      socket.send({ t: "cmd", cmd });
      const pongs = socket.messages.filter((message) => message.t === "pong").length;
      socket.send({ t: "ping" });
      await testServer.waitUntil(() => socket.messages.filter((message) => message.t === "pong").length > pongs);
    };
    await command("pause");
    expect(phase()).to.equal("paused");
    const still = tick();
    await testServer.advance(1000);
    expect(tick()).to.equal(still);
    expect((await socket.frame((frame) => frame.phase === "paused")).tick).to.equal(still);
    expect(await socket.waitForEvent("paused")).to.include({ by: "player", tick: still });
    await command("pause");
    await command("resume");
    await testServer.advance(50);
    expect(await socket.waitForEvent("resumed")).to.include({ tick: still });
    expect(tick()).to.equal(still! + 1);
    await command("pause");
    await command("resume");
    await command("pause");
    await testServer.advance(58_950);
    expect(phase()).to.equal("paused");
    await testServer.advance(100);
    expect(phase()).to.equal("running");
    await command("pause");
    expect(phase()).to.equal("running");
    expect(socket.messages.at(-2)).to.include({ t: "error", code: "PAUSE_LIMIT", fatal: false });
    await command("exit");
    expect(await ended()).to.equal("exit");
    const stored = (await testServer.store.sessions.find(row.sessionId))!;
    const recording = await testServer.store.sessions.getRecording(row.sessionId);
    expect(recording.inputs.map(([, code]) => code)).to.deep.equal([10, 11, 10, 11, 10, 11, 12]);
    expect(verifyReplay(buildReplay(stored, recording, SETTINGS), getRules).differences).to.deep.equal([]);
  });

  it("a session pauses 30 s for a disconnected player and accepts inputs again after the player returns", async () => {
    const first = await testServer.play(row);
    await testServer.advance(500);
    first.ws.terminate();
    await testServer.waitUntil(() => phase() === "paused");
    const still = tick();
    await testServer.advance(29_000);
    expect([phase(), tick()]).to.deep.equal(["paused", still]);
    const second = await testServer.join("play", row);
    expect(await second.waitForHello()).to.include({ resumed: true, phase: "running", tick: still });
    expect((await second.waitForHello()).pauseBudget.pauses).to.deep.equal({ left: 3, secondsLeft: 60 });
    await testServer.advance(100);
    expect(tick()).to.be.above(still!);
    expect((await second.waitForEvent("resumed")).tick).to.equal(still);
  });

  it("a player that repeatedly drops its socket stands still for 60 s in total, as its replay reports", async () => {
    let socket = await testServer.play(row);
    socket.send({ t: "input", dir: "left" });
    await testServer.advance(100);
    let stoodMs = 0;
    const secondsLeft: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      socket.ws.terminate();
      await testServer.waitUntil(() => !testServer.game.registry.get(row.sessionId)!.playerConnected);
      for (let passedMs = 0; passedMs < 12_400; passedMs += 100) {
        const before = tick();
        await testServer.advance(100);
        if (phase() === "paused" && tick() === before) stoodMs += 100;
      }
      socket = await testServer.join("play", row);
      secondsLeft.push((await socket.waitForHello()).pauseBudget.disconnects.secondsLeft);
    }
    expect(stoodMs).to.be.within(59_000, 60_000);
    expect(secondsLeft.map(Math.round)).to.deep.equal([48, 35, 23, 10, 0]);
    const running = tick()!;
    socket.ws.terminate();
    await testServer.waitUntil(() => !testServer.game.registry.get(row.sessionId)!.playerConnected);
    await testServer.advance(1000);
    expect(tick()).to.equal(running + 20);
    expect(testServer.game.registry.get(row.sessionId)?.recording.inputs.at(-1)?.[1]).to.equal(0);
    await testServer.game.registry.end(row.sessionId, "ended_by_player");
    const stored = (await testServer.store.sessions.find(row.sessionId))!;
    const replay = buildReplay(stored, await testServer.store.sessions.getRecording(row.sessionId), SETTINGS);
    expect(replay.pauses).to.have.length(5);
    expect(replay.pauses!.reduce((sum, [, , ms]) => sum + ms, 0)).to.be.within(59_000, 60_500);
    expect(verifyReplay(replay, getRules).differences).to.deep.equal([]);
  });

  it("a session runs without inputs after the grace period, then ends by the heartbeat rule with its score", async () => {
    const socket = await testServer.play(row);
    socket.send({ t: "input", dir: "left", seq: 1 });
    await testServer.advance(100);
    await socket.frame((frame) => frame.ackSeq === 1);
    socket.ws.terminate();
    await testServer.waitUntil(() => phase() === "paused");
    const still = tick()!;
    await testServer.advance(30_100);
    expect(phase()).to.equal("running");
    const inputs = testServer.game.registry.get(row.sessionId)?.recording.inputs;
    expect(inputs?.at(-1)).to.deep.equal([still + 1, 0]);
    while (phase() === "running") await testServer.advance(500);
    expect(["heartbeat_timeout", "lives_lost"]).to.include(await ended());
  });

  it("a session ends with heartbeat_timeout 60 s after the player's last socket or heartbeat", async () => {
    const silent = row;
    const beating = await testServer.startSession();
    for (const session of [silent, beating]) {
      const socket = await testServer.play(session);
      // Paused, so that hunger does not end the game before the rule does.
      socket.send({ t: "cmd", cmd: "pause" });
      await testServer.waitUntil(() => testServer.game.registry.getView(session.sessionId)?.phase === "paused");
      socket.ws.terminate();
    }
    await testServer.waitUntil(() => testServer.sockets.stats().connections === 0);
    await testServer.advance(30_000);
    expect(testServer.game.registry.heartbeat(beating.sessionId)?.expiresInSeconds).to.equal(60);
    await testServer.advance(31_000);
    await testServer.waitUntil(async () => (await testServer.store.sessions.find(silent.sessionId))?.phase === "ended");
    const [first, second] = await Promise.all(
      [silent, beating].map((s) => testServer.store.sessions.find(s.sessionId)),
    );
    expect(first?.endReason).to.equal("heartbeat_timeout");
    expect(second?.endReason).to.not.equal("heartbeat_timeout");
  });

  it("a session keeps its tick rate when the wall clock jumps", async () => {
    await testServer.play(row);
    const before = tick()!;
    for (const jumpMs of [10 * 60_000, -20 * 60_000, 2 * 86_400_000]) {
      testServer.clock.shiftWallClock(jumpMs);
      await testServer.advance(500);
    }
    expect(tick()).to.equal(before + 30);
    expect(phase()).to.equal("running");
  });

  it("a second socket of the player displaces the first one, whose inputs are ignored", async () => {
    const first = await testServer.play(row);
    const session = testServer.game.registry.get(row.sessionId)!;
    const second = await testServer.join("play", row);
    expect((await second.waitForHello()).resumed).to.equal(true);
    expect(await first.closed).to.deep.equal({ code: 4009, reason: "DISPLACED" });
    expect([phase(), session.playerConnected]).to.deep.equal(["running", true]);
    expect(session.acceptInput(1, { t: "input", dir: "left" }, 1)).to.equal(true);
    expect(session.runCommand(1, "exit", undefined, testServer.clock.monotonicMs())).to.equal("ignored");
    session.disconnectPlayer(1, testServer.clock.monotonicMs());
    await testServer.advance(100);
    expect([phase(), session.recording.inputs.length]).to.deep.equal(["running", 0]);
    second.send({ t: "input", dir: "right", seq: 2 });
    await testServer.advance(100);
    await second.frame((frame) => frame.ackSeq === 2);
    expect(session.recording.inputs.map(([, code]) => code)).to.deep.equal([2]);
  });

  it("inputs of displaced sockets are ignored through fifty quick displacements", async () => {
    let socket = await testServer.play(row);
    for (let i = 0; i < 50; i++) {
      const next = await testServer.join("play", row);
      expect((await socket.closed).code).to.equal(4009);
      socket = next;
    }
    await testServer.waitUntil(() => testServer.sockets.stats().connections === 1);
    expect(testServer.sockets.stats().channels).to.equal(1);
    expect(phase()).to.equal("running");
  });
});
