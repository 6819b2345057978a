import { expect } from "chai";
import type { ChainReader, CycleRow, SessionRow, VotingStore } from "../../backend/ports.ts";
import { makeEligibility } from "../../backend/services/voting-eligibility.ts";
import { accountOf } from "./support/sign-in.ts";

const wallet = accountOf(1).address;
const cycle: CycleRow = { id: 1, openingBlock: 100, opensAtMs: 0, closesAtMs: 1, closedAtMs: null };

/** A wallet that got its identity in block `since` and has played. */
function eligibilityOf(since: number, isLocal: boolean) {
  const store = { findPlayed: async () => ({}) as SessionRow } as Partial<VotingStore> as VotingStore;
  const chain = {
    identityOf: async () => 7n,
    identityAt: async (_: string, block: number) => (block >= since ? 7n : null),
  } as Partial<ChainReader> as ChainReader;
  return makeEligibility({ store, chain, verify: async () => "verified", isLocal });
}

describe("an agent's vote outside the local chain", () => {
  it("counts with an identity held at the cycle's opening block", async () => {
    expect(await eligibilityOf(100, false)(wallet, cycle)).to.equal("7");
  });

  it("does not count with an identity that was got afterwards", async () => {
    const fault = await eligibilityOf(101, false)(wallet, cycle).catch((error: unknown) => error);
    expect(fault).to.deep.include({
      code: "VOTE_NOT_ELIGIBLE",
      fields: { reasons: ["IDENTITY_NOT_HELD"], openingBlock: 100, sessionSeconds: 10 },
    });
  });

  it("counts with an identity of now on the local chain", async () => {
    expect(await eligibilityOf(101, true)(wallet, cycle)).to.equal("7");
  });
});
