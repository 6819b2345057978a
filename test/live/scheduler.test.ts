import { expect } from "chai";
import { Scheduler } from "../../backend/live/scheduler.ts";
import { TestClock } from "../helpers/test-clock.ts";

describe("the scheduler", () => {
  let clock: TestClock;
  let scheduler: Scheduler;
  let errors: unknown[];
  beforeEach(() => {
    clock = new TestClock();
    errors = [];
    scheduler = new Scheduler(clock, (_, cause) => errors.push(cause));
    scheduler.start();
  });
  afterEach(() => scheduler.stop());

  const add = (tickHz: number, run: (nowMs: number) => void = () => {}) => {
    const times: number[] = [];
    const ticking = {
      tickHz,
      tick: (nowMs: number) => {
        times.push(nowMs);
        run(nowMs);
      },
    };
    scheduler.add(ticking);
    return { ticking, times };
  };

  for (const tickHz of [20, 30, 60]) {
    it(`the scheduler keeps ${tickHz} ticks a second over ten minutes with late timers`, () => {
      // Late by up to 3 ms each time, like a busy machine.
      let late = 0;
      const { after } = clock;
      clock.after = (delayMs, run) => after.call(clock, delayMs + (late++ % 4), run);
      const { times } = add(tickHz);
      clock.advance(600_000);
      expect(Math.abs(times.length - 600 * tickHz)).to.be.at.most(1);
    });
  }

  it("the scheduler spreads 480 sessions evenly over the tick, with few per timer", () => {
    const runsPerWake = new Map<number, number>();
    for (let i = 0; i < 480; i++) add(20, (nowMs) => runsPerWake.set(nowMs, (runsPerWake.get(nowMs) ?? 0) + 1));
    clock.advance(60);
    runsPerWake.clear();
    clock.advance(100);
    expect([...runsPerWake.values()].every((count) => count === 40)).to.equal(true);
    expect(runsPerWake.size).to.equal(24);

    scheduler.stop();
    scheduler = new Scheduler(clock, () => {});
    scheduler.start();
    const few = [add(20), add(20), add(20)];
    clock.advance(100);
    expect(new Set(few.map(({ times }) => times.at(-1))).size).to.equal(1);
  });

  it("sessions with many viewers are spread until no slot sends more than a hundred frames", () => {
    scheduler.stop();
    let viewers = 0;
    scheduler = new Scheduler(
      clock,
      () => {},
      undefined,
      () => 1 + viewers,
    );
    scheduler.start();
    const all = Array.from({ length: 25 }, () => add(20));
    const countPerSlot = () => {
      clock.advance(100);
      return Object.values(Object.groupBy(all, ({ times }) => times.at(-1)!)).map((due) => due!.length);
    };
    clock.advance(1_000);
    expect(countPerSlot()).to.have.members([16, 9]);
    viewers = 24;
    clock.advance(2_000);
    const spread = countPerSlot();
    expect(Math.max(...spread) * 25).to.equal(100);
    expect(scheduler.size).to.equal(25);
    viewers = 0;
    const [gone] = all;
    scheduler.remove(gone!.ticking);
    clock.advance(50);
    const before = gone!.times.length;
    clock.advance(1_000);
    expect(gone!.times.length).to.equal(before);
  });

  it("sessions stay in their slots if every slot is full of writes", () => {
    scheduler.stop();
    scheduler = new Scheduler(
      clock,
      () => {},
      undefined,
      () => 60,
    );
    scheduler.start();
    const all = Array.from({ length: 24 }, () => add(20));
    clock.advance(5_000);
    for (const { times } of all) times.length = 0;
    clock.advance(10_000);
    for (const { times } of all) {
      expect(times.length).to.be.within(199, 201);
      expect(times.every((time, i) => i === 0 || Math.abs(time - times[i - 1]! - 50) <= 2)).to.equal(true);
    }
  });

  it("the scheduler makes no ticks while the process may not, and drops those that were due", () => {
    let mayTick = true;
    scheduler.stop();
    scheduler = new Scheduler(
      clock,
      () => {},
      () => mayTick,
    );
    scheduler.start();
    const { times } = add(20);
    clock.advance(1_000);
    const before = times.length;
    expect(before).to.be.at.least(19);
    mayTick = false;
    clock.advance(5_000);
    expect(times.length).to.equal(before);
    mayTick = true;
    clock.advance(1_000);
    expect(times.length).to.be.within(before + 10, before + 20);
  });

  it("the scheduler runs several tick rates with one timer", () => {
    let timers = 0;
    const { after } = clock;
    clock.after = (delayMs, run) => {
      timers += 1;
      const cancel = after.call(clock, delayMs, () => {
        timers -= 1;
        run();
      });
      return () => {
        timers -= 1;
        cancel();
      };
    };
    const rates = [20, 30, 60].map((tickHz) => add(tickHz));
    clock.advance(10_000);
    expect(timers).to.equal(1);
    for (const [i, tickHz] of [20, 30, 60].entries()) {
      expect(Math.abs(rates[i]!.times.length - 10 * tickHz)).to.be.at.most(1);
    }
  });

  it("the scheduler catches up after a short stall and drops the ticks of a long one", () => {
    const { times } = add(20);
    clock.advance(1000);
    const { monotonicMs } = clock;
    let offsetMs = 0;
    clock.monotonicMs = () => monotonicMs.call(clock) + offsetMs;
    offsetMs = 200;
    clock.advance(800);
    expect(times.length).to.be.within(39, 41);
    expect(scheduler.droppedTicks).to.equal(0);
    offsetMs += 5000;
    clock.advance(1000);
    expect(times.length).to.be.within(57, 62);
    expect(scheduler.droppedTicks).to.be.within(98, 101);
  });

  it("the scheduler continues when a session throws, and when one is removed during its tick", () => {
    const failing = add(20, () => {
      throw new Error("broken");
    });
    const removed = add(20, () => scheduler.remove(removed.ticking));
    const healthy = add(20);
    clock.advance(1000);
    expect(errors).to.have.length(failing.times.length);
    expect(removed.times).to.have.length(1);
    expect(healthy.times.length).to.be.at.least(19);
    expect(scheduler.size).to.equal(2);
  });

  it("the scheduler sets no timer without sessions and starts again with the next one", () => {
    const { ticking, times } = add(20);
    clock.advance(1000);
    scheduler.remove(ticking);
    scheduler.remove(ticking);
    clock.advance(60_000);
    const before = times.length;
    scheduler.add(ticking);
    clock.advance(1000);
    expect(times.length - before).to.be.within(19, 21);
    expect(scheduler.droppedTicks).to.equal(0);
  });

  it("the scheduler reports the lateness of its ticks", () => {
    add(20);
    clock.advance(5000);
    expect(scheduler.lateness.count).to.be.at.least(99);
    expect(scheduler.lateness.percentiles().p99Ms).to.be.at.most(1);
  });
});
