import { expect } from "chai";
import type { RateLimiter } from "../../backend/ports/system.ts";
import { createLimiter } from "../../backend/rate-limits/limiter.ts";
import type { LimitPolicy } from "../../domain/limits/limits.ts";
import { TestClock } from "../helpers/test-clock.ts";

const POLICY: LimitPolicy = { name: "visits", by: "ip", limit: 2, windowSeconds: 60 };

describe("the buckets of the limiter", () => {
  let clock: TestClock;
  let limiter: RateLimiter;
  beforeEach(() => {
    clock = new TestClock();
    limiter = createLimiter(clock, true);
  });
  const visit = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) limiter.consume(POLICY, `address ${index}`);
  };

  it("are removed when they are full again, as others arrive", async () => {
    visit(0, 5000);
    expect(limiter.bucketCount).to.equal(5000);
    await clock.advance(60_000);
    visit(5000, 6000);
    expect(limiter.bucketCount).to.equal(1000);
  });

  it("stay while they are not full, however many others arrive", async () => {
    limiter.consume(POLICY, "a guest", 2);
    for (let second = 0; second < 29; second += 1) {
      await clock.advance(1000);
      visit(second * 500, second * 500 + 500);
    }
    expect(limiter.consume(POLICY, "a guest").allowed).to.equal(false);
    await clock.advance(2000);
    expect(limiter.consume(POLICY, "a guest").allowed).to.equal(true);
  });

  it("are limited in number for each policy, and a flood of one policy resets no other", () => {
    const other = { ...POLICY, name: "calls" };
    limiter.consume(other, "a guest", 2);
    visit(0, 50_000);
    expect(limiter.bucketCount).to.be.at.most(20_001);
    expect(limiter.consume(other, "a guest").allowed).to.equal(false);
    expect(limiter.consume(POLICY, "address 49999", 2).allowed).to.equal(false);
  });
});
