import { expect } from "chai";
import { Scheduler } from "../../backend/runtime/scheduler.ts";
import { TestClock } from "../helpers/test-clock.ts";

describe("the scheduler", () => {
  let clock: TestClock;
  let scheduler: Scheduler;
  let faults: unknown[];
  beforeEach(() => {
    clock = new TestClock();
    faults = [];
    scheduler = new Scheduler(clock, (_, cause) => faults.push(cause));
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
    it(`keeps ${tickHz} ticks a second over ten minutes, however late the timers are`, () => {
      // Late by up to 3 ms each time, as a busy machine is.
      let late = 0;
      const { after } = clock;
      clock.after = (delayMs, run) => after.call(clock, delayMs + (late++ % 4), run);
      const { times } = add(tickHz);
      clock.advance(600_000);
      expect(Math.abs(times.length - 600 * tickHz)).to.be.at.most(1);
    });
  }

  it("spreads 480 sessions evenly over the tick, and lets few of them share a wake-up", () => {
    const perWake = new Map<number, number>();
    for (let i = 0; i < 480; i++) add(20, (nowMs) => perWake.set(nowMs, (perWake.get(nowMs) ?? 0) + 1));
    clock.advance(60);
    perWake.clear();
    clock.advance(100);
    expect([...perWake.values()].every((count) => count === 40)).to.equal(true);
    expect(perWake.size).to.equal(24);

    scheduler.stop();
    scheduler = new Scheduler(clock, () => {});
    scheduler.start();
    const few = [add(20), add(20), add(20)];
    clock.advance(100);
    expect(new Set(few.map(({ times }) => times.at(-1))).size).to.equal(1);
  });

  it("serves several rates with one timer", () => {
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

  it("catches up after a short stall and gives up what a long one cost", () => {
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

  it("goes on when one session throws, and when one leaves in its own tick", () => {
    const broken = add(20, () => {
      throw new Error("broken");
    });
    const leaving = add(20, () => scheduler.remove(leaving.ticking));
    const sound = add(20);
    clock.advance(1000);
    expect(faults).to.have.length(broken.times.length);
    expect(leaving.times).to.have.length(1);
    expect(sound.times.length).to.be.at.least(19);
    expect(scheduler.size).to.equal(2);
  });

  it("stands still without sessions and starts again with the next", () => {
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

  it("reports how late its ticks were", () => {
    add(20);
    clock.advance(5000);
    expect(scheduler.lateness.count).to.be.at.least(99);
    expect(scheduler.lateness.percentiles().p99Ms).to.be.at.most(1);
  });
});
