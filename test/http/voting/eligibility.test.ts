import { expect } from "chai";
import type { ChainReader } from "../../../backend/ports/chain.ts";
import type { SessionRow } from "../../../backend/ports/store/sessions.ts";
import type { CycleRow, VotingStore } from "../../../backend/ports/store/voting.ts";
import { VoterEligibility } from "../../../backend/services/voting/voter-eligibility.ts";
import { createTestAccount } from "../support/sign-in.ts";

const wallet = createTestAccount(1).address;
const cycle: CycleRow = { id: 1, openingBlock: 100, opensAtMs: 0, closesAtMs: 1, closedAtMs: null };

/** A wallet that got its identity in block `since` and has played. */
function createEligibility(since: number, isLocal: boolean) {
  const store = { findQualifyingSession: async () => ({}) as SessionRow } as Partial<VotingStore> as VotingStore;
  const chain = {
    getPrimaryIdentity: async () => 7n,
    getPrimaryIdentityAt: async (_: string, block: number) => (block >= since ? 7n : null),
  } as Partial<ChainReader> as ChainReader;
  return new VoterEligibility({ store, chain, verify: async () => "verified", isLocal });
}

describe("an agent's vote outside the local chain", () => {
  it("an agent's vote counts with an identity held at the cycle's opening block", async () => {
    expect(await createEligibility(100, false).requireVoter(wallet, cycle)).to.equal("7");
  });

  it("an agent's vote does not count with an identity obtained afterwards", async () => {
    const thrown = await createEligibility(101, false)
      .requireVoter(wallet, cycle)
      .catch((error: unknown) => error);
    expect(thrown).to.deep.include({
      code: "VOTE_NOT_ELIGIBLE",
      fields: { reasons: ["IDENTITY_NOT_HELD"], openingBlock: 100, sessionSeconds: 10 },
    });
  });

  it("an agent's vote counts with a current identity on the local chain", async () => {
    expect(await createEligibility(101, true).requireVoter(wallet, cycle)).to.equal("7");
  });
});
