import { expect } from "chai";
import { countLives, runCampaign } from "../../../lab/simulate/campaign.ts";
import type { Failure, LivesResult } from "../../../lab/simulate/lives.ts";
import type { ProcessesOptions } from "../../../lab/simulate/processes.ts";
import type { StoredCampaign } from "../../../lab/simulate/result-types.ts";

const SEED = 10_000_000;
const STAGE_SEED = 100_000_000;
const PART_LIVES = 5_000;

const createResult = ({ seed, lives }: ProcessesOptions, failures: readonly Failure[]): LivesResult => ({
  ...{ lives, failures, simulatedMs: lives, steps: lives, cpuMs: lives },
  ...{ faults: { reorg: 1 }, digests: [`${seed}`] },
});

/** Calls of the command with what earlier ones have stored; the life of one seed may break an invariant. */
class Campaign {
  campaigns: readonly StoredCampaign[] = [];
  brokenSeed: number | null = null;
  readonly seeds: number[] = [];
  readonly #isInPart = (seed: number, first: number, lives: number): boolean => seed >= first && seed < first + lives;

  run(lives: number, { commit = "one", seed = SEED } = {}) {
    return runCampaign({ seed, lives, processes: 1, secondsMax: null }, () => undefined, {
      read: () => this.campaigns,
      write: (campaign) => {
        this.campaigns = [...this.campaigns.filter(({ kind }) => kind !== campaign.kind), campaign];
      },
      runLives: async (request) => {
        this.seeds.push(request.seed);
        const { brokenSeed } = this;
        const isBroken = brokenSeed !== null && this.#isInPart(brokenSeed, request.seed, request.lives);
        return createResult(request, isBroken ? [{ seed: brokenSeed, violation: null, plan: [] }] : []);
      },
      commit,
    });
  }
}

describe("a campaign of simulated lives", () => {
  it("goes on after the last part that is stored, and runs no life twice", async () => {
    const campaign = new Campaign();
    await campaign.run(PART_LIVES);
    expect(await campaign.run(2 * PART_LIVES + 1)).to.deep.equal({ lives: 2 * PART_LIVES + 1, failure: null });
    expect(campaign.seeds).to.deep.equal([SEED, SEED + PART_LIVES, SEED + 2 * PART_LIVES]);
    await campaign.run(PART_LIVES);
    expect(campaign.seeds).to.have.length(3);
  });

  it("adds up the lives of one commit, and tells those of another one apart", async () => {
    const campaign = new Campaign();
    await campaign.run(2 * PART_LIVES);
    await campaign.run(3 * PART_LIVES, { commit: "two" });
    const { parts } = campaign.campaigns[0]!;
    expect(parts.map(({ commit, seed, lives, faults }) => [commit, seed, lives, faults])).to.deep.equal([
      ["one", SEED, 2 * PART_LIVES, { reorg: 2 }],
      ["two", SEED + 2 * PART_LIVES, PART_LIVES, { reorg: 1 }],
    ]);
    expect(parts[0]!.traces)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(parts[1]!.traces);
  });

  it("ends at the first broken invariant, and runs that part again in the next call", async () => {
    const campaign = new Campaign();
    campaign.brokenSeed = SEED + PART_LIVES + 7;
    const { lives, failure } = await campaign.run(3 * PART_LIVES);
    expect([lives, failure?.seed]).to.deep.equal([PART_LIVES, campaign.brokenSeed]);
    campaign.brokenSeed = null;
    expect((await campaign.run(3 * PART_LIVES)).lives).to.equal(3 * PART_LIVES);
    expect(campaign.seeds.filter((seed) => seed === SEED + PART_LIVES)).to.have.length(2);
  });

  it("is one of its kind of lives", async () => {
    const campaign = new Campaign();
    await campaign.run(PART_LIVES);
    await campaign.run(2 * PART_LIVES, { seed: STAGE_SEED });
    expect(campaign.campaigns.map(({ kind, seed, parts }) => [kind, seed, countLives(parts)])).to.deep.equal([
      ["short", SEED, PART_LIVES],
      ["stage", STAGE_SEED, 2 * PART_LIVES],
    ]);
  });

  it("is not replaced by one of the same kind that begins with another seed", async () => {
    const campaign = new Campaign();
    await campaign.run(PART_LIVES);
    const error = await campaign.run(PART_LIVES, { seed: SEED + 1 }).catch((reason: Error) => reason);
    expect(`${error}`).to.include(`began with ${SEED}, received ${SEED + 1}`);
    expect(campaign.campaigns.map(({ seed }) => seed)).to.deep.equal([SEED]);
  });
});
