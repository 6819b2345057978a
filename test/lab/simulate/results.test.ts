import { expect } from "chai";
import { addUp, type BatchResult, joinDigests, toRunsPerMinute } from "../../../lab/simulate/batch.ts";

const createResult = (seed: number, faults: BatchResult["faults"]): BatchResult => ({
  runs: 2,
  failures: [{ seed, violation: { invariant: "every wait ends", message: "no answer" }, plan: [] }],
  simulatedMs: 1_000,
  steps: 10,
  cpuMs: 60,
  faults,
  coverage: { "check a": { runs: 1, times: seed }, [`state ${seed}`]: { runs: 1, times: 1 } },
  digests: [`${seed}`, `${seed + 1}`],
});

describe("results of simulated runs", () => {
  it("adds up blocks of seeds in their order", () => {
    const blocks = [createResult(1, { reorg: 1, crash: 2 }), createResult(3, { crash: 1 })];
    const { failures, ...sum } = addUp(blocks);
    expect(sum).to.deep.equal({
      ...{ runs: 4, simulatedMs: 2_000, steps: 20, cpuMs: 120 },
      faults: { reorg: 1, crash: 3 },
      coverage: {
        "check a": { runs: 2, times: 4 },
        "state 1": { runs: 1, times: 1 },
        "state 3": { runs: 1, times: 1 },
      },
      digests: ["1", "2", "3", "4"],
    });
    expect(failures.map(({ seed }) => seed)).to.deep.equal([1, 3]);
  });

  it("reports how many runs fit into a minute of CPU time", () => {
    expect(toRunsPerMinute({ runs: 4, cpuMs: 120 })).to.equal(2_000);
  });

  it("has one digest for all traces, in order", () => {
    expect(joinDigests(["a", "b"])).to.match(/^[0-9a-f]{16}$/);
    expect(joinDigests(["b", "a"])).to.not.equal(joinDigests(["a", "b"]));
  });
});
