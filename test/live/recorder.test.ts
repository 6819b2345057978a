import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import { getRules } from "../../games/index.ts";
import { type LiveTestServer, startLiveTestServer } from "./live-suite.ts";

describe("the recorder", () => {
  let testServer: LiveTestServer;
  beforeEach(async () => {
    testServer = await startLiveTestServer();
  });
  afterEach(() => testServer.stop());

  const storedTick = async (row: SessionRow) => (await testServer.store.sessions.find(row.sessionId))!.tick;
  const liveTick = (row: SessionRow) => testServer.game.registry.getView(row.sessionId)!.tick;

  it("the recorder stores all sessions in one transaction a second", async () => {
    const calls: number[] = [];
    const { record } = testServer.store.sessions;
    testServer.store.sessions.record = (chunks) => {
      calls.push(chunks.length);
      return record(chunks);
    };
    for (let i = 0; i < 3; i++) await testServer.play(await testServer.startSession());
    calls.length = 0;
    await testServer.advance(2000);
    expect(calls).to.deep.equal([3, 3]);
  });

  it("the recorder writes nothing for sessions without changes", async () => {
    await testServer.startSession();
    await testServer.advance(1000);
    let calls = 0;
    testServer.store.sessions.record = async () => {
      calls += 1;
      return [];
    };
    await testServer.advance(3000);
    expect(calls).to.equal(0);
  });

  it("sessions keep ticking while the store fails, and the recorder stores everything afterwards", async () => {
    const row = await testServer.startSession();
    const socket = await testServer.play(row);
    const { record, end } = testServer.store.sessions;
    testServer.store.sessions.record = () => Promise.reject(new Error("full"));
    socket.send({ t: "input", dir: "left" });
    socket.send({ t: "ping" });
    await socket.waitForMessage((message) => message.t === "pong");
    const before = liveTick(row);
    await testServer.advance(5000);
    expect(liveTick(row)).to.equal(before + 100);
    expect(await storedTick(row)).to.be.at.most(before);
    expect(testServer.game.stats().storeFailures).to.equal(5);
    testServer.store.sessions.record = record;
    await testServer.advance(1000);
    await testServer.waitUntil(async () => (await storedTick(row)) >= before + 100);
    expect((await testServer.store.sessions.getRecording(row.sessionId)).inputs).to.deep.equal([[before + 1, 1]]);

    testServer.store.sessions.end = () => Promise.reject(new Error("full"));
    const storeError = await testServer.game.registry
      .end(row.sessionId, "ended_by_player")
      .catch((cause: unknown) => cause);
    expect(storeError).to.be.instanceOf(Error).with.property("message", "full");
    expect(testServer.game.registry.getView(row.sessionId)?.phase).to.equal("ended");
    expect(socket.messages.some((message) => message.t === "end")).to.equal(false);
    expect(testServer.game.stats().storing).to.equal(1);
    testServer.store.sessions.end = end;
    await testServer.advance(1000);
    expect(await socket.waitForMessage((message) => message.t === "end")).to.include({ endReason: "ended_by_player" });
    expect((await testServer.store.sessions.getRecording(row.sessionId)).inputs).to.deep.equal([[before + 1, 1]]);
    expect(testServer.game.stats().storing).to.equal(0);
  });

  for (const failedReads of [0, 2])
    it(`a committed flush without an answer is not stored twice, after ${failedReads} failed reads`, async () => {
      const row = await testServer.startSession();
      const socket = await testServer.play(row);
      const { record, getSettledRecording } = testServer.store.sessions;
      let losesAnswer = true;
      testServer.store.sessions.record = async (chunks) => {
        const moved = await record(chunks);
        if (chunks[0]!.inputs.length > 0 && losesAnswer) {
          losesAnswer = false;
          throw new Error("the connection broke");
        }
        return moved;
      };
      let reads = 0;
      testServer.store.sessions.getSettledRecording = async (sessionId) => {
        reads += 1;
        if (reads <= failedReads) throw new Error("the store is away");
        return getSettledRecording(sessionId);
      };
      const steer = async (dir: string): Promise<void> => {
        socket.send({ t: "input", dir });
        socket.send({ t: "ping" });
        await socket.waitForMessage((message) => message.t === "pong");
        await testServer.advance(1000);
      };
      await steer("left");
      expect(losesAnswer).to.equal(false);
      const listStored = async () => (await testServer.store.sessions.getRecording(row.sessionId)).inputs;
      expect(await listStored()).to.have.length(1);
      await steer("right");
      for (let failed = 0; failed < failedReads; failed++) {
        expect(await listStored()).to.have.length(1);
        await testServer.advance(1000);
      }
      await testServer.waitUntil(async () => (await listStored()).length > 1);
      expect((await listStored()).map(([, code]) => code)).to.deep.equal([1, 2]);
      expect(reads).to.equal(failedReads + 1);
    });

  it("the verifier withholds and logs a score that its replay does not confirm", async () => {
    const row = await testServer.startSession();
    const { getRecording: recording } = testServer.store.sessions;
    testServer.store.sessions.getRecording = async (sessionId) => {
      const stored = await recording(sessionId);
      return { ...stored, inputs: stored.inputs.map(([tick, code]) => [tick + 1, code] as const) };
    };
    const socket = await testServer.play(row);
    socket.send({ t: "input", dir: "left", seq: 1 });
    await testServer.advance(100);
    await socket.frame((frame) => frame.ackSeq === 1);
    const observed: string[] = [];
    testServer.game.onEnded((ended) => observed.push(ended.sessionId));
    const ended = (await testServer.game.registry.end(row.sessionId, "ended_by_player"))!;
    expect(await testServer.game.verify(ended)).to.equal("withheld");
    expect((await testServer.store.sessions.find(row.sessionId))?.verification).to.equal("withheld");
    expect(testServer.game.stats().withheld).to.equal(1);
    expect(observed).to.deep.equal([row.sessionId]);
  });

  for (const [defect, change] of [
    ["that names a difference", { ok: false }],
    ["with another digest", { replayDigest: `0x${"00".repeat(32)}` }],
    ["with another score", { finalScore: 1 }],
  ] as const) {
    it(`the verifier withholds a score after a result ${defect}`, async () => {
      await testServer.stop();
      const verifyOther = async (replay: Replay) => ({ ...verifyReplay(replay, getRules), ...change });
      testServer = await startLiveTestServer({ worker: { verifyReplay: verifyOther } });
      const row = await testServer.startSession();
      const ended = (await testServer.game.registry.end(row.sessionId, "ended_by_player"))!;
      expect(await testServer.game.verify(ended)).to.equal("withheld");
    });
  }

  it("the verifier retries a verification that failed for another reason", async () => {
    await testServer.stop();
    let calls = 0;
    testServer = await startLiveTestServer({
      worker: {
        verifyReplay: async (replay) => {
          calls += 1;
          if (calls === 1) throw new Error("the worker is gone");
          return verifyReplay(replay, getRules);
        },
      },
    });
    const row = await testServer.startSession();
    await testServer.game.registry.end(row.sessionId, "ended_by_player");
    await testServer.waitUntil(() => calls === 1);
    await testServer.advance(5000);
    await testServer.waitUntil(
      async () => (await testServer.store.sessions.find(row.sessionId))?.verification === "verified",
    );
    expect(calls).to.equal(2);
  });

  it("a game ends if its rules throw, and the other games continue", async () => {
    await testServer.stop();
    testServer = await startLiveTestServer({
      rules: (slug, rulesVersion) => {
        const game = getRules(slug, rulesVersion);
        if (!game || slug !== "flappybots") return game;
        return {
          ...game,
          step: (state, codes) => {
            if (state.tick === 3) throw new Error("a bug");
            return game.step(state, codes);
          },
        };
      },
    });
    const broken = await testServer.startSession({ slug: "flappybots" });
    const validReplay = await testServer.startSession();
    const socket = await testServer.play(broken);
    await testServer.play(validReplay);
    expect((await socket.closed).code).to.equal(1000);
    expect(await testServer.store.sessions.find(broken.sessionId)).to.include({
      phase: "ended",
      endReason: "server_restart",
      tick: 3,
    });
    expect(testServer.game.registry.getView(validReplay.sessionId)?.phase).to.equal("running");
  });
});
