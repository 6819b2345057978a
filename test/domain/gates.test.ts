import { expect } from "chai";
import { ArcadeError } from "../../domain/errors.ts";
import { checkNftGate, checkSnapshotGate, findPendingTier, getTier, type NftFacts } from "../../domain/gates.ts";

const TIERS = [
  { tier: 1, name: "Bronze", minScore: 100 },
  { tier: 2, name: "Silver", minScore: 200 },
  { tier: 3, name: "Gold", minScore: 300 },
];

const FACTS: NftFacts = {
  slug: "shellrunners",
  best: { sessionId: "s1", score: 250 },
  tiers: TIERS,
  heldTier: 0,
  transferred: false,
  forfeitedTier: 0,
};

const getError = (run: () => void): ArcadeError => {
  try {
    run();
  } catch (error) {
    if (error instanceof ArcadeError) return error;
    throw error;
  }
  throw new Error("expected an error");
};

describe("the tier of a score", () => {
  for (const [score, tier] of [
    [0, 0],
    [99, 0],
    [100, 1],
    [199, 1],
    [200, 2],
    [300, 3],
    [9_000, 3],
  ] as const)
    it(`is ${tier} for a score of ${score}`, () => {
      expect(getTier(TIERS, score)).to.equal(tier);
    });

  it("does not depend on the order of the tiers", () => {
    expect(getTier(TIERS.toReversed(), 250)).to.equal(2);
  });
});

describe("the NFT gate", () => {
  const cases: readonly {
    readonly title: string;
    readonly facts: Partial<NftFacts>;
    readonly step: { readonly tier: number; readonly action: "mint" | "upgrade" } | null;
  }[] = [
    { title: "waits for the mint of a first tier", facts: {}, step: { tier: 2, action: "mint" } },
    { title: "waits for the upgrade of a lower tier", facts: { heldTier: 1 }, step: { tier: 2, action: "upgrade" } },
    { title: "is open while the wallet has no score on chain", facts: { best: null }, step: null },
    { title: "is open below the first tier", facts: { best: { sessionId: "s1", score: 99 } }, step: null },
    { title: "is open when the tier is held", facts: { heldTier: 2 }, step: null },
    { title: "is open when a higher tier is held", facts: { heldTier: 3 }, step: null },
    { title: "is open once the step was given up", facts: { forfeitedTier: 2 }, step: null },
    {
      title: "waits for a higher tier than the one given up",
      facts: { forfeitedTier: 1 },
      step: { tier: 2, action: "mint" },
    },
    { title: "is open when the token was transferred", facts: { transferred: true, heldTier: 1 }, step: null },
  ];
  for (const { title, facts, step } of cases)
    it(title, () => {
      const found = findPendingTier({ ...FACTS, ...facts });
      expect(found).to.deep.equal(step === null ? null : { sessionId: "s1", score: 250, ...step });
      if (step === null) expect(() => checkNftGate({ ...FACTS, ...facts })).to.not.throw();
      else expect(getError(() => checkNftGate({ ...FACTS, ...facts })).code).to.equal("NFT_MINT_REQUIRED");
    });

  it("reports the request that prepares the NFT as the next step", () => {
    expect(getError(() => checkNftGate(FACTS)).fields).to.deep.include({
      sessionId: "s1",
      score: 250,
      tier: 2,
      action: "mint",
      next: { method: "POST", path: "/api/games/shellrunners/nft/prepare", body: { sessionId: "s1" } },
    });
  });
});

describe("the snapshot gate", () => {
  it("is open while no score is pending", () => {
    expect(() => checkSnapshotGate(null)).to.not.throw();
  });

  it("reports the pending session and the request that snapshots it", () => {
    const error = getError(() => checkSnapshotGate({ sessionId: "s1", slug: "shellrunners", score: 7 }));
    expect(error.code).to.equal("SNAPSHOT_REQUIRED");
    expect(error.fields).to.deep.equal({
      sessionId: "s1",
      gameSessionId: "s1",
      score: 7,
      next: { method: "POST", path: "/api/rewards/snapshot", body: { sessionId: "s1" } },
    });
  });
});
