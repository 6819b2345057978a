import { expect } from "chai";
import { createSteadyWallClock } from "../../../backend/adapters/system/clock.ts";

const MINUTE_MS = 60_000;

describe("the wall clock", () => {
  const createFixture = () => {
    const real = { wallMs: 1_000_000_000, monotonicMs: 0 };
    const nowMs = createSteadyWallClock(
      () => real.wallMs,
      () => real.monotonicMs,
    );
    const pass = (ms: number): void => {
      real.wallMs += ms;
      real.monotonicMs += ms;
    };
    return { real, nowMs, pass };
  };

  it("follows the system's clock while that goes forward", () => {
    const { real, nowMs, pass } = createFixture();
    pass(1234);
    expect(nowMs()).to.equal(real.wallMs);
    real.wallMs += 10 * MINUTE_MS;
    expect(nowMs()).to.equal(real.wallMs);
  });

  it("continues, and never goes back, after the system's clock was set back", () => {
    const { real, nowMs, pass } = createFixture();
    const before = nowMs();
    real.wallMs -= 10 * MINUTE_MS;
    expect(nowMs()).to.equal(before);
    pass(5 * MINUTE_MS);
    expect(nowMs() - before).to.be.within(4 * MINUTE_MS, 5 * MINUTE_MS);
  });

  it("expires a nonce in about its lifetime after a jump forward was corrected", () => {
    const { real, nowMs, pass } = createFixture();
    real.wallMs += 2 * 24 * 60 * MINUTE_MS;
    const expiresAtMs = nowMs() + 5 * MINUTE_MS;
    real.wallMs -= 2 * 24 * 60 * MINUTE_MS;
    for (let minute = 0; minute < 6; minute++) {
      pass(MINUTE_MS);
      nowMs();
    }
    expect(nowMs()).to.be.greaterThan(expiresAtMs);
  });

  it("agrees with the system's again some time after it was set back", () => {
    const { real, nowMs, pass } = createFixture();
    nowMs();
    real.wallMs -= MINUTE_MS;
    for (let minute = 0; minute < 11; minute++) {
      pass(MINUTE_MS);
      nowMs();
    }
    expect(nowMs()).to.equal(real.wallMs);
  });
});
