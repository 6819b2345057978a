import { expect } from "chai";
import { drawScenario } from "../../../lab/simulate/run/run.ts";
import { CANDIDATES, Steering } from "../../../lab/simulate/steering.ts";

const SEED = 10_000_000;
const ONCE = { runs: 1, times: 1 };

const hasOrder = (seed: number): boolean => drawScenario(seed).plan.some(({ kind }) => kind === "cancel ordered");

describe("the steering of a batch", () => {
  it("chooses seeds whose draws led to what the batch has rarely exercised", () => {
    const steering = new Steering();
    for (let seed = SEED; seed < SEED + 200; seed++)
      steering.note(seed, { "check common": ONCE, ...(hasOrder(seed) && { "state rare": ONCE }) });
    const groups = Array.from({ length: 60 }, (_, group) =>
      Array.from({ length: CANDIDATES }, (_seed, index) => SEED + 200 + group * CANDIDATES + index),
    ).filter((seeds) => seeds.some(hasOrder));
    expect(groups.length).to.be.greaterThan(10);
    const chosen = groups.map((seeds) => steering.choose(seeds));
    const ofFirst = groups.filter(([first]) => hasOrder(first!)).length;
    expect(chosen.filter(hasOrder).length).to.be.greaterThan(2 * ofFirst);
    expect(groups.map((seeds) => steering.choose(seeds))).to.deep.equal(chosen);
  });
});
