import { expect } from "chai";
import { Histogram } from "../../scripts/load/measure.ts";

/** The quantiles of values that are not grouped. */
const getQuantile = (values: readonly number[], fraction: number): number =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * fraction) - 1)] ?? 0;

describe("the times of a load run", () => {
  it("have quantiles within two percent of the exact ones", () => {
    const values = Array.from({ length: 1_000 }, (_, index) => (index * 7919) % 1_000);
    for (const chosen of [values, [5], [0, 0, 3], [1, 1_000], [], [2, 2, 2, 90]]) {
      const histogram = new Histogram();
      for (const value of chosen) histogram.record(value);
      for (const fraction of [0.01, 0.5, 0.75, 0.99, 1]) {
        const expected = getQuantile(chosen, fraction);
        expect(histogram.getQuantileMs(fraction), `${chosen.length} ${fraction}`)
          .to.be.at.least(expected * 0.98)
          .and.at.most(expected * 1.02 + 0.01);
      }
      expect(histogram.toFigures()).to.include({ count: chosen.length, maxMs: Math.max(0, ...chosen) });
    }
  });

  it("are never negative", () => {
    const histogram = new Histogram();
    histogram.record(-5);
    expect(histogram.toFigures()).to.deep.equal({ count: 1, p50Ms: 0, p99Ms: 0, maxMs: 0 });
  });
});
