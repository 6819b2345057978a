import { assert, expect } from "chai";
import type { Replay } from "../../backend/domain/replay.ts";
import { verifyReplay } from "../../backend/domain/verify-replay.ts";
import { rulesOf } from "../../backend/games/index.ts";
import type { SessionRow, Store } from "../../backend/ports.ts";
import { buildReplay } from "../../backend/services/live/replay-of.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { type LiveSuite, openTestStore, SETTINGS, startLiveSuite } from "./live-suite.ts";
import type { TestSocket } from "./test-socket.ts";

describe("crash and restart", () => {
  let store: Store;
  let clock: TestClock;
  let suite: LiveSuite;
  beforeEach(async () => {
    store = await openTestStore();
    clock = new TestClock();
    suite = await startLiveSuite({ store, clock });
  });
  afterEach(() => suite.stop());

  /** A new process on the same store; the old one is gone without a word. */
  async function restart(rules?: typeof rulesOf): Promise<void> {
    await suite.abandon();
    // A dead process has no timers: the new one gets a clock of its own that goes on from the old one's time.
    const next = new TestClock(clock.nowMs());
    clock = next;
    suite = await startLiveSuite({ store, clock, ...(rules && { rules }) });
    await suite.driven(suite.game.recover());
  }

  async function playSome(row: SessionRow): Promise<TestSocket> {
    const socket = await suite.play(row);
    for (const dir of ["left", "right", "none", "left", "none"]) {
      socket.send({ t: "input", dir });
      await suite.run(700);
    }
    return socket;
  }

  it("loses at most one second of play, and goes on for its player", async () => {
    const row = await suite.startSession();
    await playSome(row);
    const before = suite.game.live.view(row.sessionId)!;
    const inputs = [...suite.game.live.get(row.sessionId)!.recording.inputs];
    await restart();
    const after = suite.game.live.view(row.sessionId)!;
    expect(after.phase).to.equal("paused");
    expect(after.tick).to.be.within(before.tick - 20, before.tick);
    const kept = inputs.filter(([tick]) => tick <= after.tick);
    expect(suite.game.live.get(row.sessionId)!.recording.inputs).to.deep.equal(kept);
    await suite.run(5000);
    expect(suite.game.live.view(row.sessionId)).to.deep.equal(after);
    const socket = await suite.join("play", row);
    expect(await socket.hello()).to.include({ resumed: true, phase: "running", tick: after.tick });
    await suite.run(500);
    socket.send({ t: "cmd", cmd: "exit" });
    await socket.closed;
    await suite.until(async () => (await store.sessions.find(row.sessionId))?.verification === "verified");
    const stored = (await store.sessions.find(row.sessionId))!;
    expect(stored.tick).to.equal(after.tick + 10);
    const replay = buildReplay(stored, await store.sessions.recording(row.sessionId), SETTINGS);
    expect(verifyReplay(replay, rulesOf).differences).to.deep.equal([]);
  });

  it("ends with the recorded score 30 s after the restart when the player does not come", async () => {
    const row = await suite.startSession();
    await playSome(row);
    await restart();
    const { score, tick } = suite.game.live.view(row.sessionId)!;
    await suite.run(29_500);
    expect(suite.game.live.view(row.sessionId)?.phase).to.equal("paused");
    await suite.run(600);
    await suite.until(async () => (await store.sessions.find(row.sessionId))?.verification === "verified");
    expect(await store.sessions.find(row.sessionId)).to.include({
      phase: "ended",
      endReason: "server_restart",
      score,
      tick,
    });
  });

  it("recovers sessions that were ready, and twice in a row", async () => {
    const fresh = await suite.startSession();
    const played = await suite.startSession({ slug: "flappybots" });
    const player = await suite.play(played);
    player.send({ t: "action", action: "FLAP" });
    await suite.run(1000);
    await restart();
    await restart();
    expect(suite.game.live.view(fresh.sessionId)).to.include({ phase: "paused", tick: 0 });
    expect(suite.game.live.view(played.sessionId)?.phase).to.equal("paused");
    const socket = await suite.join("play", fresh);
    expect(await socket.hello()).to.include({ phase: "ready", resumed: false });
    await suite.run(1100);
    expect(suite.game.live.view(fresh.sessionId)?.phase).to.equal("running");
  });

  for (const [fault, rules] of [
    ["that this build does not know", () => undefined],
    [
      "that fail",
      (slug: string, rulesVersion: number) => {
        const game = rulesOf(slug, rulesVersion)!;
        return { ...game, step: () => assert.fail("a bug") };
      },
    ],
  ] as const) {
    it(`ends a session with rules ${fault}, with the recorded score`, async () => {
      const row = await suite.startSession();
      await playSome(row);
      await restart(rules);
      const stored = (await store.sessions.find(row.sessionId))!;
      expect(stored).to.include({ phase: "ended", endReason: "server_restart" });
      expect(stored.tick).to.be.above(0);
      expect(stored.gameSessionHash).to.match(/^0x[0-9a-f]{64}$/);
      expect(suite.game.live.view(row.sessionId)).to.equal(null);
    });
  }

  it("keeps the digests of a long game through a restart", async () => {
    const row = await suite.startSession({ slug: "flappybots" });
    await suite.play(row);
    const session = suite.game.live.get(row.sessionId)!;
    const { bots } = rulesOf("flappybots", row.rulesVersion)!;
    const bot = bots.reference();
    // Played straight through the session: this is about its length, not about its sockets.
    const stop = session.listen({
      published: (_, frame) => {
        const message = bot(frame.frame as never);
        if (message) session.steer(1, message, undefined);
      },
      finished: () => {},
    });
    await suite.run(35_000);
    stop();
    await restart();
    await suite.run(30_100);
    await suite.until(async () => (await store.sessions.find(row.sessionId))?.verification === "verified");
    const stored = (await store.sessions.find(row.sessionId))!;
    const { stateDigests } = await store.sessions.recording(row.sessionId);
    expect(stateDigests).to.have.length(Math.floor(stored.tick / 600));
    if (stored.endReason === "server_restart") expect(stateDigests).to.have.length(1);
  });

  it("drains: stores the last tick and leaves the sessions open for the next process", async () => {
    const row = await suite.startSession();
    await playSome(row);
    await suite.run(450);
    await suite.sockets.drain();
    const before = suite.game.live.view(row.sessionId)!;
    await suite.driven(suite.game.drain());
    expect(await store.sessions.find(row.sessionId)).to.include({
      tick: before.tick,
      score: before.score,
      endReason: null,
    });
    await restart();
    expect(suite.game.live.view(row.sessionId)).to.include({ tick: before.tick, score: before.score });
  });
});

describe("the recorder", () => {
  let suite: LiveSuite;
  beforeEach(async () => {
    suite = await startLiveSuite();
  });
  afterEach(() => suite.stop());

  const storedTick = async (row: SessionRow) => (await suite.store.sessions.find(row.sessionId))!.tick;
  const liveTick = (row: SessionRow) => suite.game.live.view(row.sessionId)!.tick;

  it("stores all sessions in one transaction a second", async () => {
    const calls: number[] = [];
    const { record } = suite.store.sessions;
    suite.store.sessions.record = (chunks) => {
      calls.push(chunks.length);
      return record(chunks);
    };
    for (let i = 0; i < 3; i++) await suite.play(await suite.startSession());
    calls.length = 0;
    await suite.run(2000);
    expect(calls).to.deep.equal([3, 3]);
  });

  it("writes nothing for sessions in which nothing happens", async () => {
    await suite.startSession();
    await suite.run(1000);
    let calls = 0;
    suite.store.sessions.record = async () => {
      calls += 1;
    };
    await suite.run(3000);
    expect(calls).to.equal(0);
  });

  it("keeps ticking through store failures and catches up afterwards", async () => {
    const row = await suite.startSession();
    const socket = await suite.play(row);
    const { record, end } = suite.store.sessions;
    suite.store.sessions.record = () => Promise.reject(new Error("full"));
    socket.send({ t: "input", dir: "left" });
    socket.send({ t: "ping" });
    await socket.find((message) => message.t === "pong");
    const before = liveTick(row);
    await suite.run(5000);
    expect(liveTick(row)).to.equal(before + 100);
    expect(await storedTick(row)).to.be.at.most(before);
    expect(suite.game.stats().storeFailures).to.equal(5);
    suite.store.sessions.record = record;
    await suite.run(1000);
    await suite.until(async () => (await storedTick(row)) >= before + 100);
    expect((await suite.store.sessions.recording(row.sessionId)).inputs).to.deep.equal([[before + 1, 1]]);

    suite.store.sessions.end = () => Promise.reject(new Error("full"));
    let refused: unknown;
    await suite.game.live.end(row.sessionId, "ended_by_player").catch((cause) => {
      refused = cause;
    });
    expect(refused).to.be.instanceOf(Error);
    expect(suite.game.live.view(row.sessionId)?.phase).to.equal("ended");
    expect(socket.messages.some((message) => message.t === "end")).to.equal(false);
    suite.store.sessions.end = end;
    await suite.run(1000);
    expect(await socket.find((message) => message.t === "end")).to.include({ endReason: "ended_by_player" });
    expect((await suite.store.sessions.recording(row.sessionId)).inputs).to.deep.equal([[before + 1, 1]]);
  });

  it("withholds a score that its replay does not give, and says so", async () => {
    const row = await suite.startSession();
    const { recording } = suite.store.sessions;
    suite.store.sessions.recording = async (sessionId) => {
      const { inputs, stateDigests } = await recording(sessionId);
      return { inputs: inputs.map(([tick, code]) => [tick + 1, code] as const), stateDigests };
    };
    const socket = await suite.play(row);
    socket.send({ t: "input", dir: "left", seq: 1 });
    await suite.run(100);
    await socket.frame((frame) => frame.ackSeq === 1);
    const seen: string[] = [];
    suite.game.onEnded((ended) => seen.push(ended.sessionId));
    const ended = (await suite.game.live.end(row.sessionId, "ended_by_player"))!;
    expect(await suite.game.verify(ended)).to.equal("withheld");
    expect((await suite.store.sessions.find(row.sessionId))?.verification).to.equal("withheld");
    expect(suite.game.stats().withheld).to.equal(1);
    expect(seen).to.deep.equal([row.sessionId]);
  });

  for (const [fault, change] of [
    ["that names a difference", { ok: false }],
    ["with another digest", { replayDigest: `0x${"00".repeat(32)}` }],
    ["with another score", { finalScore: 1 }],
  ] as const) {
    it(`withholds a score after a verdict ${fault}`, async () => {
      await suite.stop();
      const verifyOther = async (replay: Replay) => ({ ...verifyReplay(replay, rulesOf), ...change });
      suite = await startLiveSuite({ worker: { verifyReplay: verifyOther } });
      const row = await suite.startSession();
      const ended = (await suite.game.live.end(row.sessionId, "ended_by_player"))!;
      expect(await suite.game.verify(ended)).to.equal("withheld");
    });
  }

  it("tries a verification again that failed for another reason", async () => {
    await suite.stop();
    let calls = 0;
    suite = await startLiveSuite({
      worker: {
        verifyReplay: async (replay) => {
          calls += 1;
          if (calls === 1) throw new Error("the worker is gone");
          return verifyReplay(replay, rulesOf);
        },
      },
    });
    const row = await suite.startSession();
    await suite.game.live.end(row.sessionId, "ended_by_player");
    await suite.until(() => calls === 1);
    await suite.run(5000);
    await suite.until(async () => (await suite.store.sessions.find(row.sessionId))?.verification === "verified");
    expect(calls).to.equal(2);
  });

  it("ends a game whose rules throw, and lets the others play", async () => {
    await suite.stop();
    suite = await startLiveSuite({
      rules: (slug, rulesVersion) => {
        const game = rulesOf(slug, rulesVersion);
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
    const broken = await suite.startSession({ slug: "flappybots" });
    const sound = await suite.startSession();
    const socket = await suite.play(broken);
    await suite.play(sound);
    expect((await socket.closed).code).to.equal(1000);
    expect(await suite.store.sessions.find(broken.sessionId)).to.include({
      phase: "ended",
      endReason: "server_restart",
      tick: 3,
    });
    expect(suite.game.live.view(sound.sessionId)?.phase).to.equal("running");
  });
});
