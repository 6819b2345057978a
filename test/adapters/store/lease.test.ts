import { expect } from "chai";
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { LEASE_MS, type LeaseOptions, takeLease } from "../../../backend/adapters/store/lease/lease.ts";
import { findLease, renewLease, takeLeaseRow } from "../../../backend/adapters/store/lease/rows.ts";
import { createSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { waitUntil } from "../../helpers/wait-until.ts";
import { silentLog } from "../chain/chain-fixture.ts";
import { addSession, createChunk, createNonceRow, createSession, endSession } from "./rows.ts";
import { getRejection, useTempDatabase, writeNothing } from "./suite.ts";

const LIVING = { place: "test", processId: 1, isAlive: () => true };
const STEP_MS = 250;
/** Ends a loop whose condition is never met. The disk may take many steps to open a file. */
const STEPS_MAX = 1_000;

describe("the lease of a database", () => {
  const database = useTempDatabase();
  const open = (options: Partial<LeaseOptions> = {}): Promise<Store> =>
    database.open({ lease: { clock: new TestClock(), log: silentLog, processIdentity: LIVING, ...options } });
  /** Advances the clocks by `ms`, in steps between which the lease's calls can finish. */
  const pass = async (ms: number, ...clocks: readonly TestClock[]): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      for (const clock of clocks) clock.advance(STEP_MS);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  };
  /** A backend that requests the lease. `isOpen`: whether it holds it. */
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
  /** A second backend that has found the lease taken. Earlier its clock does not measure anything. */
  const startWaiting = async (options: Partial<LeaseOptions> = {}) => {
    const waiting = startOpening(options);
    await waitUntil(() => waiting.state.holders.length > 0);
    return waiting;
  };

  /** The lease is free, and the waiting backend soon has it. */
  const expectTaken = async ({ clock, done }: ReturnType<typeof startOpening>, ms = 1000): Promise<void> => {
    await pass(ms, clock);
    await done;
  };

  it("keeps a second backend waiting while the first one renews it", async () => {
    const clock = new TestClock();
    const first = await open({ clock });
    const waiting = await startWaiting();
    await pass(3 * LEASE_MS, clock, waiting.clock);
    expect(waiting.state.isOpen).to.equal(false);
    await first.close();
    await expectTaken(waiting);
  });

  it("passes to the second backend when the first one has not renewed it for its length", async () => {
    await open();
    const waiting = await startWaiting();
    await pass(LEASE_MS - 1000, waiting.clock);
    expect(waiting.state.isOpen).to.equal(false);
    await expectTaken(waiting, 2000);
  });

  it("does not pass because a wall clock jumps", async () => {
    const first = await open();
    const waiting = await startWaiting();
    waiting.clock.shiftWallClock(DAY_MS);
    await pass(LEASE_MS / 2, waiting.clock);
    expect(waiting.state.isOpen).to.equal(false);
    await first.close();
    await expectTaken(waiting);
  });

  it("passes at once when the owner's process has ended, even without a release", async () => {
    const first = await open({ processIdentity: { ...LIVING, processId: 77 } });
    const waiting = await startWaiting({
      processIdentity: { ...LIVING, place: "another machine", isAlive: () => false },
    });
    await pass(1000, waiting.clock);
    expect(waiting.state.isOpen).to.equal(false);
    await first.close();
    await expectTaken(waiting);
  });

  it("rejects what an owner writes after another backend has taken over", async () => {
    let lost = 0;
    const first = await open({ onLost: () => (lost += 1) });
    const { sessionId } = await addSession(first);
    const waiting = await startWaiting();
    await expectTaken(waiting, LEASE_MS + 2000);
    const second = waiting.state.store!;
    await second.sessions.claimOpen();
    for (const write of [
      () => endSession(first, sessionId, { score: 15 }),
      () => first.sessions.record([createChunk(sessionId)]),
      () => first.sessions.add(createSession({ slug: "flappybots" })),
      () => writeNothing(first),
    ])
      expect(await getRejection(write())).to.include({ code: "SHUTTING_DOWN" });
    expect(lost).to.equal(1);
    expect(await second.sessions.find(sessionId)).to.include({ phase: "ready", score: 0, tick: 0 });
    expect(await endSession(second, sessionId)).to.include({ phase: "ended", score: 100 });
  });

  it("lets only the owner of a session end it", async () => {
    const first = await open();
    const { sessionId } = await addSession(first);
    const { owner } = (await first.sessions.find(sessionId))!;
    expect(owner).to.be.a("string");
    await first.close();
    const second = await open();
    expect(await getRejection(endSession(second, sessionId))).to.include({ code: "SHUTTING_DOWN" });
    await second.sessions.claimOpen();
    expect((await endSession(second, sessionId)).owner).to.not.equal(owner);
  });

  it("is held by one of several backends that start at once", async () => {
    const clock = new TestClock();
    const waiting = Array.from({ length: 6 }, () => startOpening({ clock }));
    const holders: Store[] = [];
    for (let round = 1; round <= 6; round++) {
      const listOpen = () => waiting.flatMap(({ state }) => state.store ?? []);
      for (let step = 0; step < STEPS_MAX && listOpen().length < round; step++) await pass(STEP_MS, clock);
      if (round === 1) await pass(4 * STEP_MS, clock);
      expect(listOpen()).to.have.length(round);
      holders.push(...listOpen().filter((store) => !holders.includes(store)));
      await holders.at(-1)!.close();
    }
  });

  it("is taken only from the row as it is now", async () => {
    const connection = openConnection(createSqliteDialect(openSqliteFile(database.databaseUrl)), { busyWaitMs: 1_000 });
    try {
      const lease = await takeLease(connection, { clock: new TestClock(), log: silentLog, processIdentity: LIVING });
      const taken = (await findLease(connection))!;
      const holder = { owner: "later", place: "test", processId: 2, expiresAtMs: 0 };
      expect(await renewLease(connection, lease, 1)).to.equal(true);
      expect(await takeLeaseRow(connection, taken, holder), "it was renewed").to.equal(null);
      const renewed = (await findLease(connection))!;
      expect(await takeLeaseRow(connection, renewed, holder)).to.equal(2);
      expect(await takeLeaseRow(connection, { ...renewed, renewals: 0 }, holder), "it was taken").to.equal(null);
      expect(await takeLeaseRow(connection, null, holder), "the row exists").to.equal(null);
      await lease.release();
      expect(await findLease(connection), "another one's release").to.include({ owner: "later", epoch: 2 });
    } finally {
      await connection.close();
    }
  });

  it("is reported once while it cannot be renewed", async () => {
    const connection = openConnection(createSqliteDialect(openSqliteFile(database.databaseUrl)), { busyWaitMs: 1_000 });
    const clock = new TestClock();
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (...given: readonly unknown[]) => warnings.push(given) };
    await takeLease(connection, { clock, log, processIdentity: LIVING });
    await connection.close();
    await pass(LEASE_MS, clock);
    expect(warnings).to.have.length(1);
    expect(JSON.stringify(warnings)).to.include("could not be renewed");
  });

  it("is not needed by commands, which write beside the owner", async () => {
    const first = await open();
    const command = await database.open();
    for (const store of [command, first]) {
      const row = createNonceRow();
      await store.auth.addNonce(row);
      expect(await command.auth.findNonce(row.nonce)).to.deep.equal(row);
    }
  });
});
