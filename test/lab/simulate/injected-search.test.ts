import { expect } from "chai";
import { SIMULATED_FAULTS } from "../../../lab/injected/faults.ts";
import { QUICKLY_FOUND, searchTwice } from "../../../lab/simulate/injected-search.ts";
import type { Failure, LivesResult } from "../../../lab/simulate/lives.ts";
import type { ProcessesOptions } from "../../../lab/simulate/processes.ts";

const SEED = 1_000_000;
const NAME = "lease-not-checked";

const createFailure = (seed: number, invariant: string): Failure => ({
  seed,
  violation: { invariant, message: "" },
  plan: [],
});

const createResult = (digests: readonly string[], failure: Failure | null): LivesResult => ({
  ...{ lives: digests.length, digests, failures: failure === null ? [] : [failure] },
  ...{ simulatedMs: 0, steps: 0, cpuMs: 0, faults: {} },
});

/** Searches whose first run and run of the found seed have these results. */
async function search(...results: readonly LivesResult[]) {
  const requests: ProcessesOptions[] = [];
  const result = await searchTwice(NAME, { seed: SEED, livesMax: 5 }, async (request) => {
    requests.push(request);
    return results[requests.length - 1]!;
  });
  return { result, requests };
}

describe("short searches for injected faults", () => {
  const failure = createFailure(SEED + 1, "tokens work once");
  const found = createResult(["a", "b"], failure);

  it("run the life that found one again, and no other", async () => {
    const { result, requests } = await search(found, createResult(["b"], failure));
    expect(result).to.deep.equal({ name: NAME, lives: 2, failure, isRepeated: true });
    expect(requests.map(({ seed, lives, injected, secondsMax }) => [seed, lives, injected, secondsMax])).to.deep.equal([
      [SEED, 5, NAME, null],
      [SEED + 1, 1, NAME, null],
    ]);
  });

  it("report when that life has another trace, keeps the invariant, or breaks another one", async () => {
    for (const again of [
      createResult(["c"], failure),
      createResult(["b"], null),
      createResult(["b"], createFailure(SEED + 1, "every wait ends")),
    ])
      expect((await search(found, again)).result.isRepeated).to.equal(false);
  });

  it("report when no life finds it", async () => {
    const { result, requests } = await search(createResult(["a", "b", "c", "d", "e"], null));
    expect(result).to.deep.equal({ name: NAME, lives: 5, failure: null, isRepeated: false });
    expect(requests).to.have.length(1);
  });

  it("are made for injected faults that there are", () => {
    expect(QUICKLY_FOUND.filter((name) => SIMULATED_FAULTS[name] === undefined)).to.deep.equal([]);
    expect(new Set(QUICKLY_FOUND).size).to.equal(QUICKLY_FOUND.length);
  });
});
