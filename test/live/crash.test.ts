import { assert, expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { buildReplay } from "../../domain/replay/build-replay.ts";
import { verifyReplay } from "../../domain/replay/verify.ts";
import type { Game } from "../../games/game.ts";
import { createRulesLookup, getRules } from "../../games/index.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { tally } from "../fixtures/two-rules/tally/game.ts";
import { tallyV1 } from "../fixtures/two-rules/tally/v1/game.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { type LiveTestServer, SETTINGS, startLiveTestServer } from "./live-suite.ts";
import type { TestSocket } from "./test-socket.ts";

describe("crash and restart", () => {
  let store: Store;
  let clock: TestClock;
  let testServer: LiveTestServer;
  beforeEach(async () => {
    store = await openMemoryStore();
    clock = new TestClock();
    testServer = await startLiveTestServer({ store, clock });
  });
  afterEach(() => testServer.stop());

  /** A new process on the same store. The old one has stopped without closing anything. */
  async function restart(rules?: typeof getRules): Promise<void> {
    await testServer.kill();
    // A killed process has no timers, so the new one gets a new clock that continues from the old one's time.
    const next = new TestClock(clock.nowMs());
    clock = next;
    testServer = await startLiveTestServer({ store, clock, ...(rules && { rules }) });
    await testServer.game.prepareRecovery();
    await testServer.runUntilSettled(testServer.game.recover());
  }

  async function playInputs(row: SessionRow): Promise<TestSocket> {
    const socket = await testServer.play(row);
    for (const dir of ["left", "right", "none", "left", "none"]) {
      socket.send({ t: "input", dir });
      await testServer.advance(700);
    }
    return socket;
  }

  it("a restart loses at most one second of play, and the session continues for its player", async () => {
    const row = await testServer.startSession();
    await playInputs(row);
    const before = testServer.game.registry.getView(row.sessionId)!;
    const inputs = [...testServer.game.registry.get(row.sessionId)!.recording.inputs];
    await restart();
    const after = testServer.game.registry.getView(row.sessionId)!;
    expect(after.phase).to.equal("paused");
    expect(after.tick).to.be.within(before.tick - 20, before.tick);
    const kept = inputs.filter(([tick]) => tick <= after.tick);
    expect(testServer.game.registry.get(row.sessionId)!.recording.inputs).to.deep.equal(kept);
    await testServer.advance(5000);
    expect(testServer.game.registry.getView(row.sessionId)).to.deep.equal(after);
    const socket = await testServer.join("play", row);
    expect(await socket.waitForHello()).to.include({ resumed: true, phase: "running", tick: after.tick });
    await testServer.advance(500);
    socket.send({ t: "cmd", cmd: "exit" });
    await socket.closed;
    await testServer.waitUntil(async () => (await store.sessions.find(row.sessionId))?.verification === "verified");
    const stored = (await store.sessions.find(row.sessionId))!;
    expect(stored.tick).to.equal(after.tick + 10);
    const replay = buildReplay(stored, await store.sessions.getRecording(row.sessionId), SETTINGS);
    expect(verifyReplay(replay, getRules).differences).to.deep.equal([]);
  });

  it("a session ends with its recorded score 30 s after the restart when its player does not return", async () => {
    const row = await testServer.startSession();
    await playInputs(row);
    await restart();
    const { score, tick } = testServer.game.registry.getView(row.sessionId)!;
    await testServer.advance(29_500);
    expect(testServer.game.registry.getView(row.sessionId)?.phase).to.equal("paused");
    await testServer.advance(600);
    await testServer.waitUntil(async () => (await store.sessions.find(row.sessionId))?.verification === "verified");
    expect(await store.sessions.find(row.sessionId)).to.include({
      phase: "ended",
      endReason: "server_restart",
      score,
      tick,
    });
  });

  it("two restarts in a row recover sessions that were ready", async () => {
    const fresh = await testServer.startSession();
    const played = await testServer.startSession({ slug: "flappybots" });
    const player = await testServer.play(played);
    player.send({ t: "action", action: "FLAP" });
    await testServer.advance(1000);
    await restart();
    await restart();
    expect(testServer.game.registry.getView(fresh.sessionId)).to.include({ phase: "paused", tick: 0 });
    expect(testServer.game.registry.getView(played.sessionId)?.phase).to.equal("paused");
    const socket = await testServer.join("play", fresh);
    expect(await socket.waitForHello()).to.include({ phase: "ready", resumed: false });
    await testServer.advance(1100);
    expect(testServer.game.registry.getView(fresh.sessionId)?.phase).to.equal("running");
  });

  for (const [defect, rules] of [
    ["that this build does not know", () => undefined],
    [
      "that fail",
      (slug: string, rulesVersion: number) => {
        const game = getRules(slug, rulesVersion)!;
        return { ...game, step: () => assert.fail("a bug") };
      },
    ],
  ] as const) {
    it(`recovery ends a session with rules ${defect}, with the recorded score`, async () => {
      const row = await testServer.startSession();
      await playInputs(row);
      await restart(rules);
      const stored = (await store.sessions.find(row.sessionId))!;
      expect(stored).to.include({ phase: "ended", endReason: "server_restart" });
      expect(stored.tick).to.be.above(0);
      expect(stored.gameSessionHash).to.match(/^0x[0-9a-f]{64}$/);
      expect(testServer.game.registry.getView(row.sessionId)).to.equal(null);
    });
  }

  it("a session continues under its original rules when the next version has others", async () => {
    const [next, began] = [tally, tallyV1] as unknown as readonly [Game, Game];
    await testServer.kill();
    testServer = await startLiveTestServer({ store, clock, rules: createRulesLookup([began]) });
    const row = await testServer.startSession({ slug: "tally", tickHz: 10, rulesVersion: 1 });
    const mark = async (): Promise<number> => {
      const session = testServer.game.registry.get(row.sessionId)!;
      const { epoch } = session.connectPlayer(clock.monotonicMs());
      await testServer.advance(1_100);
      const before = session.score;
      session.acceptInput(epoch, { t: "action", action: "MARK" }, undefined);
      await testServer.advance(1_100);
      return session.score - before;
    };
    expect(await mark()).to.equal(1);
    await restart(createRulesLookup([next, began]));
    expect(await mark()).to.equal(1);
  });

  it("a long game is verified after a restart", async () => {
    const row = await testServer.startSession({ slug: "flappybots" });
    await testServer.play(row);
    const session = testServer.game.registry.get(row.sessionId)!;
    const { bots } = getRules("flappybots", row.rulesVersion)!;
    const bot = bots.reference();
    // Steps the session directly, since the test needs its length, not its sockets.
    const stop = session.subscribe({
      onTick: ({ frame }) => {
        const message = bot(frame.frame as never);
        if (message) session.acceptInput(1, message, undefined);
      },
      onEnd: () => {},
    });
    await testServer.advance(35_000);
    stop();
    await restart();
    await testServer.advance(30_100);
    await testServer.waitUntil(async () => (await store.sessions.find(row.sessionId))?.verification === "verified");
    const stored = (await store.sessions.find(row.sessionId))!;
    expect(stored.tick).to.be.above(0);
  });

  it("drain stores the last tick and leaves the sessions open for the next process", async () => {
    const row = await testServer.startSession();
    await playInputs(row);
    await testServer.advance(450);
    await testServer.sockets.drain();
    const before = testServer.game.registry.getView(row.sessionId)!;
    await testServer.runUntilSettled(testServer.game.drain());
    expect(await store.sessions.find(row.sessionId)).to.include({
      tick: before.tick,
      score: before.score,
      endReason: null,
    });
    await restart();
    expect(testServer.game.registry.getView(row.sessionId)).to.include({ tick: before.tick, score: before.score });
  });
});
