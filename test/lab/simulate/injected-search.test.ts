import { expect } from "chai";
import { SIMULATED_FAULTS } from "../../../lab/injected/faults.ts";
import type { BatchResult, Failure } from "../../../lab/simulate/batch.ts";
import { QUICKLY_FOUND, searchTwice } from "../../../lab/simulate/injected-search.ts";
import type { ProcessesOptions } from "../../../lab/simulate/processes.ts";

const SEED = 1_000_000;
const NAME = "lease-not-checked";

const createFailure = (seed: number, invariant: string): Failure => ({
  seed,
  violation: { invariant, message: "" },
  plan: [],
});

const createResult = (digests: readonly string[], failure: Failure | null): BatchResult => ({
  ...{ runs: digests.length, digests, failures: failure === null ? [] : [failure] },
  ...{ simulatedMs: 0, steps: 0, cpuMs: 0, faults: {}, coverage: {} },
});

/** Searches with these results of the first run and of the found seed's run. */
async function search(...results: readonly BatchResult[]) {
  const requests: ProcessesOptions[] = [];
  const result = await searchTwice(NAME, { seed: SEED, runsMax: 5 }, async (request) => {
    requests.push(request);
    return results[requests.length - 1]!;
  });
  return { result, requests };
}

describe("short searches for injected faults", () => {
  const failure = createFailure(SEED + 1, "tokens work once");
  const found = createResult(["a", "b"], failure);

  it("repeat the run that found one, and no other", async () => {
    const { result, requests } = await search(found, createResult(["b"], failure));
    expect(result).to.deep.equal({ name: NAME, runs: 2, failure, isRepeated: true });
    expect(requests.map(({ seed, runs, injected, secondsMax }) => [seed, runs, injected, secondsMax])).to.deep.equal([
      [SEED, 5, NAME, null],
      [SEED + 1, 1, NAME, null],
    ]);
  });

  it("report if that run has another trace, keeps the invariant, or breaks another one", async () => {
    for (const again of [
      createResult(["c"], failure),
      createResult(["b"], null),
      createResult(["b"], createFailure(SEED + 1, "every wait ends")),
    ])
      expect((await search(found, again)).result.isRepeated).to.equal(false);
  });

  it("report when no run finds it", async () => {
    const { result, requests } = await search(createResult(["a", "b", "c", "d", "e"], null));
    expect(result).to.deep.equal({ name: NAME, runs: 5, failure: null, isRepeated: false });
    expect(requests).to.have.length(1);
  });

  it("are made for existing injected faults", () => {
    expect(QUICKLY_FOUND.filter((name) => SIMULATED_FAULTS[name] === undefined)).to.deep.equal([]);
    expect(new Set(QUICKLY_FOUND).size).to.equal(QUICKLY_FOUND.length);
  });
});
