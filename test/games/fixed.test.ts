import { expect } from "chai";
import {
  beatsPerTick,
  beatsToMs,
  SUB_UNITS,
  TICK_RATES,
  toUnits,
  triangleVelocity,
  triangleWave,
} from "../../games/fixed.ts";

describe("fixed point", () => {
  it("divides a second into whole beats, and rejects tick rates that do not fit", () => {
    expect(TICK_RATES.map((tickHz) => beatsPerTick(tickHz) * tickHz)).to.deep.equal(TICK_RATES.map(() => 60));
    for (const tickHz of [0, 7, 25, 120, Number.NaN])
      expect(() => beatsPerTick(tickHz)).to.throw(RangeError, "use one");
  });

  it("falls along the same parabola at every tick rate", () => {
    const fall = (tickHz: number): number => {
      const beats = beatsPerTick(tickHz);
      let position = 0;
      let velocity = 0;
      for (let tick = 0; tick < tickHz; tick += 1) {
        const before = velocity;
        velocity += 1400 * beats;
        position += (before + velocity) * beats;
      }
      return position;
    };
    for (const tickHz of TICK_RATES) expect(fall(tickHz)).to.equal(700 * SUB_UNITS);
  });

  it("rounds positions to the nearest unit and durations up", () => {
    expect([0, 3599, 3600, 7200, -3600, -3601].map(toUnits)).to.deep.equal([0, 0, 1, 1, 0, -1]);
    expect([0, 1, 60].map(beatsToMs)).to.deep.equal([0, 17, 1000]);
  });

  it("swings between the amplitudes in whole units, at the reported speed", () => {
    const period = 240;
    const wave = Array.from({ length: period }, (_, beat) => triangleWave(beat, period, 60));
    expect([wave[0], wave[60], wave[120], wave[180]]).to.deep.equal([0, 60, 0, -60]);
    expect(triangleWave(period + 7, period, 60)).to.equal(wave[7]);
    expect([0, 59, 60, 179, 180].map((beat) => triangleVelocity(beat, period, 60))).to.deep.equal([
      60, 60, -60, -60, 60,
    ]);
    expect(wave.every(Number.isInteger)).to.equal(true);
  });
});
