import { expect } from "chai";
import type { LeaseOptions } from "../../../backend/adapters/store/lease/lease.ts";
import { LEASE_MS } from "../../../backend/adapters/store/lease/lease.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { waitUntil } from "../../helpers/wait-until.ts";
import { silentLog } from "../chain/chain-fixture.ts";
import { addSession, createChunk, createEndedSession, createSession, createSessionHasher, endSession } from "./rows.ts";
import { createTempDatabase, getRejection } from "./suite.ts";

const LIVING = { place: "test", processId: 1, isAlive: () => true };
const STEP_MS = 250;
/** Ends a loop whose condition never comes; the disk may take many steps for an open. */
const STEPS_MAX = 1_000;

describe("the lease of a database", function () {
  this.timeout(20_000);
  let database: ReturnType<typeof createTempDatabase>;
  let opened: Store[];
  beforeEach(() => {
    database = createTempDatabase();
    opened = [];
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
    database.remove();
  });

  const open = async (options: Partial<LeaseOptions> = {}): Promise<Store> => {
    const lease = { clock: new TestClock(), log: silentLog, processIdentity: LIVING, ...options };
    const store = await openStore({ databaseUrl: database.databaseUrl, lease });
    opened.push(store);
    return store;
  };
  /** Lets `ms` pass on the clocks, in steps between which the lease's own calls can finish. */
  const pass = async (ms: number, ...clocks: readonly TestClock[]): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      for (const clock of clocks) clock.advance(STEP_MS);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  };
  /** A backend that wants the lease; `isOpen` tells whether it has it. */
  const startOpening = (options: Partial<LeaseOptions> = {}) => {
    const state = { isOpen: false, store: null as Store | null, holders: [] as (string | null)[] };
    const clock = new TestClock();
    const onWait: LeaseOptions["onWait"] = ({ owner }) => state.holders.push(owner);
    const done = open({ clock, onWait, ...options }).then((store) => {
      state.isOpen = true;
      state.store = store;
    });
    return { state, clock, done };
  };
  /** A second backend that has found the lease taken: before that, its clock measures nothing. */
  const startWaiting = async (options: Partial<LeaseOptions> = {}) => {
    const waiting = startOpening(options);
    await waitUntil(() => waiting.state.holders.length > 0);
    return waiting;
  };

  it("keeps a second backend waiting while the first one renews it", async () => {
    const clock = new TestClock();
    await open({ clock });
    const waiting = await startWaiting();
    await pass(3 * LEASE_MS, clock, waiting.clock);
    expect(waiting.state.isOpen).to.equal(false);
    expect(waiting.state.holders.length).to.be.greaterThan(0);
    await opened[0]!.close();
    await pass(1000, waiting.clock);
    await waiting.done;
  });

  it("passes to the second backend when the first one has not renewed it for its length", async () => {
    await open();
    const waiting = await startWaiting();
    await pass(LEASE_MS - 1000, waiting.clock);
    expect(waiting.state.isOpen).to.equal(false);
    await pass(2000, waiting.clock);
    await waiting.done;
  });

  it("does not pass because a wall clock jumps", async () => {
    await open();
    const waiting = await startWaiting();
    waiting.clock.shiftWallClock(24 * 3600 * 1000);
    await pass(LEASE_MS / 2, waiting.clock);
    expect(waiting.state.isOpen).to.equal(false);
    await opened[0]!.close();
    await pass(1000, waiting.clock);
    await waiting.done;
  });

  it("passes at once when the owner's process has ended, also without a release", async () => {
    await open({ processIdentity: { ...LIVING, processId: 77 } });
    const other = await startWaiting({
      processIdentity: { ...LIVING, place: "another machine", isAlive: () => false },
    });
    await pass(1000, other.clock);
    expect(other.state.isOpen).to.equal(false);
    await opened[0]!.close();
    await pass(1000, other.clock);
    await other.done;
  });

  it("rejects what an owner writes after another backend has taken over", async () => {
    let lost = 0;
    const first = await open({ onLost: () => (lost += 1) });
    const session = await addSession(first);
    const waiting = await startWaiting();
    await pass(LEASE_MS + 2000, waiting.clock);
    await waiting.done;
    const second = waiting.state.store!;
    await second.sessions.claimOpen();

    const { sessionId } = session;
    const ended = createEndedSession(sessionId);
    for (const write of [
      () => first.sessions.end({ ...ended, score: 15 }, createSessionHasher(sessionId)),
      () => first.sessions.record([createChunk(sessionId)]),
      () => first.sessions.add(createSession({ slug: "flappybots" })),
      () => first.probe(),
    ])
      expect(await getRejection(write())).to.include({ code: "SHUTTING_DOWN" });
    expect(lost).to.equal(1);
    expect(await second.sessions.find(sessionId)).to.include({ phase: "ready", score: 0, tick: 0 });
    const row = await second.sessions.end(ended, createSessionHasher(sessionId));
    expect(row).to.include({ phase: "ended", score: ended.score });
  });

  it("lets only the owner of a session end it", async () => {
    const first = await open();
    const session = await addSession(first);
    const { sessionId } = session;
    const owner = (await first.sessions.find(sessionId))!.owner;
    expect(owner).to.be.a("string");
    await first.close();
    opened = [];
    const second = await open();
    const rejection = await getRejection(endSession(second, sessionId));
    expect(rejection).to.include({ code: "SHUTTING_DOWN" });
    await second.sessions.claimOpen();
    const row = await endSession(second, sessionId);
    expect(row.owner).to.not.equal(owner);
  });

  it("is held by one of several backends that start at once", async () => {
    const clock = new TestClock();
    const waiting = Array.from({ length: 6 }, () => startOpening({ clock }));
    const countOpen = () => waiting.filter(({ state }) => state.isOpen).length;
    for (let step = 0; step < STEPS_MAX && countOpen() === 0; step++) await pass(STEP_MS, clock);
    await pass(4 * STEP_MS, clock);
    expect(countOpen()).to.equal(1);
    for (let round = 2; round <= 6; round++) {
      await opened.at(-1)!.close();
      for (let step = 0; step < STEPS_MAX && countOpen() < round; step++) await pass(STEP_MS, clock);
      expect(countOpen()).to.equal(round);
    }
  });

  it("is not asked for by commands, which write beside the owner", async () => {
    const first = await open();
    const command = await openStore({ databaseUrl: database.databaseUrl });
    await command.probe();
    await command.close();
    await first.probe();
  });
});
