import perfHooks from "node:perf_hooks";
import { expect } from "chai";
import { createMetrics } from "../../../backend/adapters/system/metrics.ts";
import type { MetricSources } from "../../../backend/ports/system.ts";

describe("the metrics of a service", () => {
  it("observe the process once, however many services it has had", () => {
    const { PerformanceObserver } = perfHooks;
    let made = 0;
    const metrics: unknown[] = [];
    class CountedObserver extends PerformanceObserver {
      constructor(callback: ConstructorParameters<typeof PerformanceObserver>[0]) {
        super(callback);
        made += 1;
      }
    }
    perfHooks.PerformanceObserver = CountedObserver;
    try {
      for (let service = 0; service < 3; service++) metrics.push(createMetrics({} as MetricSources));
    } finally {
      perfHooks.PerformanceObserver = PerformanceObserver;
    }
    // Another file of this process may have made one before.
    expect(made).to.be.at.most(1);
    expect(new Set(metrics).size).to.equal(3);
  });
});
