import { expect } from "chai";
import { RecordingReader } from "../../backend/live/recording-reader.ts";
import { Recovery } from "../../backend/live/recovery.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import type { Log } from "../../backend/ports/system.ts";
import type { ArcadeError } from "../../domain/errors.ts";
import { getRules } from "../../games/index.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { type LiveTestServer, startLiveTestServer } from "./live-suite.ts";

describe("the recovery of open sessions beside requests", () => {
  let store: Store;
  let testServer: LiveTestServer;
  let rows: readonly SessionRow[];
  beforeEach(async () => {
    store = await openMemoryStore();
    const before = await startLiveTestServer({ store });
    rows = [await before.startSession(), await before.startSession(), await before.startSession()];
    // In the order of their ids, as in the recovery.
    rows = [...rows].sort((one, other) => (one.sessionId < other.sessionId ? -1 : 1));
    await before.kill();
  });
  afterEach(() => testServer.stop());

  /** A new process that has taken over the open sessions, but has not recovered any. */
  async function restart(options: Parameters<typeof startLiveTestServer>[0] = {}): Promise<void> {
    testServer = await startLiveTestServer({ store, clock: new TestClock(), ...options });
    await testServer.game.prepareRecovery();
  }
  const listHosted = () => [...testServer.game.registry.all()].map(({ row }) => row.sessionId);
  const getIds = (...numbers: number[]) => numbers.map((number) => rows[number]!.sessionId);
  /** Resolves when a request starts to wait. */
  const observeWait = () =>
    new Promise<void>((resolve) => {
      const { registry } = testServer.game;
      const waitUntilRecovered = registry.waitUntilRecovered.bind(registry);
      registry.waitUntilRecovered = (sessionId) => {
        resolve();
        return waitUntilRecovered(sessionId);
      };
    });
  const recover = () => testServer.runUntilSettled(testServer.game.recover());

  it("the session that a request waits for is recovered first", async () => {
    await restart();
    expect(testServer.game.recoveryProgress()).to.deep.equal({ done: 0, total: 3, isStart: true });
    const hostedThen = testServer.game.registry.waitUntilRecovered(rows[2]!.sessionId).then(listHosted);
    await recover();
    expect(await hostedThen).to.deep.equal(getIds(2));
    expect(listHosted()).to.deep.equal(getIds(2, 0, 1));
    expect(testServer.game.recoveryProgress()).to.deep.equal({ done: 3, total: 3, isStart: false });
    await testServer.game.registry.waitUntilRecovered(rows[0]!.sessionId);
  });

  it("a socket that is opened during recovery waits, and the player continues with the session", async () => {
    await restart();
    const row = rows[1]!;
    const isWaiting = observeWait();
    const joining = testServer.join("play", row);
    await isWaiting;
    await recover();
    const socket = await joining;
    expect(await socket.waitForHello()).to.include({ phase: "ready", resumed: false });
    expect(testServer.game.registry.get(row.sessionId)?.playerConnected).to.equal(true);
  });

  it("a request that waits for more than a second is told to retry", async () => {
    await restart();
    const rejected = testServer.game.registry.waitUntilRecovered(rows[0]!.sessionId).catch((error: Error) => error);
    testServer.clock.advance(1000);
    const error = (await rejected) as ArcadeError;
    expect(error).to.include({ code: "SESSION_RECOVERING", status: 503, retryable: true });
    expect(error.message).to.include("3 of 3");
  });

  it("the recordings of several sessions are read at once", async () => {
    const asked: string[] = [];
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const getRecording: Store["sessions"]["getRecording"] = async (sessionId) => {
      asked.push(sessionId);
      await answered;
      return store.sessions.getRecording(sessionId);
    };
    await restart({ store: { ...store, sessions: { ...store.sessions, getRecording } } });
    const recovered = testServer.game.recover();
    try {
      expect(asked).to.deep.equal(getIds(0, 1, 2));
    } finally {
      answer();
    }
    expect(await testServer.runUntilSettled(recovered)).to.deep.equal({ resumed: 3, ended: 0 });
    expect(asked).to.deep.equal(getIds(0, 1, 2));
    expect(listHosted()).to.deep.equal(getIds(0, 1, 2));
  });

  it("a session whose recording cannot be read is retried after the others", async () => {
    const warnings: string[] = [];
    const log: Log = { debug() {}, info() {}, error() {}, warn: (_, message) => warnings.push(message) };
    let failures = 2;
    const getRecording: Store["sessions"]["getRecording"] = (sessionId) => {
      if (sessionId !== rows[0]!.sessionId || failures === 0) return store.sessions.getRecording(sessionId);
      failures -= 1;
      return Promise.reject(new Error("disk I/O error"));
    };
    await restart({ store: { ...store, sessions: { ...store.sessions, getRecording } }, log });
    const recovered = testServer.game.recover();
    while (failures > 0) await testServer.advance(1000);
    expect(listHosted()).to.deep.equal(getIds(1, 2));
    expect(testServer.game.recoveryProgress()).to.deep.equal({ done: 2, total: 3, isStart: true });
    while (listHosted().length < 3) await testServer.advance(1000);
    expect(await recovered).to.deep.equal({ resumed: 3, ended: 0 });
    expect(testServer.game.recoveryProgress()).to.include({ isStart: false });
    expect(warnings).to.deep.equal(["an open session could not be recovered; it is tried again"]);
  });

  it("a session whose recording cannot be read does not delay others, however often it is requested", async () => {
    const getRecording: Store["sessions"]["getRecording"] = (sessionId) =>
      sessionId === rows[0]!.sessionId
        ? Promise.reject(new Error("disk I/O error"))
        : store.sessions.getRecording(sessionId);
    await restart({ store: { ...store, sessions: { ...store.sessions, getRecording } } });
    const { game } = testServer;
    const ask = (): void => void game.registry.waitUntilRecovered(rows[0]!.sessionId).catch(() => undefined);
    ask();
    void game.recover();
    for (let asked = 0; asked < 60; asked += 1) {
      ask();
      await testServer.advance(50);
    }
    expect(listHosted()).to.deep.equal(getIds(1, 2));
  });

  it("sessions whose recordings cannot be read are each retried a second later", async () => {
    const readsAtMs = new Map(getIds(0, 1).map((sessionId) => [sessionId, [] as number[]]));
    const getRecording: Store["sessions"]["getRecording"] = async (sessionId) => {
      const { clock } = testServer;
      const reads = readsAtMs.get(sessionId);
      reads?.push(clock.monotonicMs());
      if (reads?.length !== 1) return store.sessions.getRecording(sessionId);
      if (sessionId === rows[1]!.sessionId) await new Promise<void>((resolve) => clock.after(600, resolve));
      throw new Error("disk I/O error");
    };
    await restart({ store: { ...store, sessions: { ...store.sessions, getRecording } } });
    const recovered = testServer.game.recover();
    await testServer.advance(650);
    await testServer.waitUntil(() => {
      testServer.clock.advance(0);
      return testServer.game.registry.isHosted(rows[2]!.sessionId);
    });
    await testServer.advance(1100);
    await testServer.runUntilSettled(recovered);
    const [first, second] = [...readsAtMs.values()].map(([before, after]) => after! - before!);
    expect(first, "one that failed at once").to.be.within(1000, 1100);
    expect(second, "one that failed after 600 ms").to.be.within(1600, 1700);
  });

  it("a session whose lease is renewed late is hosted then, but never one of another node", async () => {
    await restart();
    const hosted: string[] = [];
    const waitingAtChange: number[] = [];
    let isLate = true;
    const recovery = new Recovery({
      sessions: store.sessions,
      getRules,
      clock: testServer.clock,
      getOwnership: ({ sessionId }) => {
        if (sessionId === rows[0]!.sessionId) return "other";
        return isLate ? "unknown" : "own";
      },
      isHosted: () => false,
      host: (row, restored) => {
        hosted.push(row.sessionId);
        return { row, restored } as never;
      },
      endAsRecorded: async () => undefined,
      onChange: () => waitingAtChange.push(recovery.progress().total - recovery.progress().done),
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    await recovery.prepare();
    const running = recovery.run();
    await testServer.advance(900);
    expect(hosted).to.deep.equal([]);
    isLate = false;
    await testServer.advance(1200);
    expect(hosted).to.have.members(getIds(1, 2));
    expect(waitingAtChange, "each session, when it no longer waits").to.deep.equal([2, 1, 0]);
    expect(await running).to.deep.include({ resumed: 2 });
    await recover();
  });

  it("calls share one run, however long a session cannot be read", async () => {
    await restart();
    const recovery = new Recovery({
      sessions: { ...store.sessions, getRecording: () => Promise.reject(new Error("disk I/O error")) },
      getRules,
      clock: testServer.clock,
      getOwnership: () => "own",
      isHosted: () => false,
      host: () => expect.fail("a session without a recording was hosted"),
      endAsRecorded: async () => undefined,
      onChange() {},
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    await recovery.prepare();
    const running = recovery.run();
    await testServer.advance(3000);
    expect(recovery.run()).to.equal(running);
    await recovery.stop();
    expect(await running).to.deep.equal({ resumed: 0, ended: 0 });
    await recover();
  });

  it("sessions that are not running again yet keep their places", async () => {
    await restart({ sessionsMax: 3 });
    const admit = () => testServer.game.registry.admit({ source: "agent_api", ip: null });
    expect(admit).to.throw("All 3 places");
    await recover();
    expect(admit).to.throw("All 3 places");
  });

  it("a process that stops during recovery leaves the other sessions open for the next one", async () => {
    await restart();
    const recovered = testServer.game.recover();
    await testServer.game.drain();
    await recovered;
    expect(listHosted()).to.deep.equal(getIds(0));
    expect((await store.sessions.listOpen()).map(({ sessionId }) => sessionId)).to.deep.equal(getIds(0, 1, 2));
  });
});

describe("the recordings that recovery reads ahead", () => {
  it("are the next eight; another one is read when its turn comes", async () => {
    const asked: string[] = [];
    const getRecording = async (sessionId: string) => {
      asked.push(sessionId);
      return sessionId as never;
    };
    const reader = new RecordingReader({ getRecording });
    reader.readAhead(Array.from({ length: 9 }, (_, index) => ({ sessionId: `s${index}` }) as SessionRow));
    expect(asked).to.have.length(8);
    for (const sessionId of ["s8", "s0"]) expect(await reader.take(sessionId)).to.equal(sessionId);
    expect(asked).to.have.length(9);
  });
});
