import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { createTypedData } from "../../domain/typed-data/messages.ts";
import { createBallot } from "../../domain/voting.ts";
import { type BallotPage, countBallots } from "../../web/vote/count-ballots.ts";

const CHAIN_ID = 31337;
const GAME = "demo-tidepool";
const CYCLE_ID = 3;
const account = privateKeyToAccount(`0x${"11".repeat(32)}`);

/** The account's signed, published ballot. */
async function createItem(voteSource: "human" | "ai_agent" = "ai_agent") {
  const message = {
    walletAddress: account.address,
    gameSlug: GAME,
    voteSource,
    nonce: "ab".repeat(16),
    cycleId: String(CYCLE_ID),
  };
  const ballot = createBallot(CHAIN_ID, message);
  const signature = await account.signTypedData(ballot as never);
  return { walletAddress: account.address, voteSource, agentId: "1", message, signature, proof: "key", castAt: "" };
}

const { domain, types, primaryType } = createBallot(CHAIN_ID, {
  walletAddress: "",
  gameSlug: GAME,
  voteSource: "human",
  nonce: "",
  cycleId: "0",
});
const createPage = (items: readonly object[], typedData: object = { domain, types, primaryType }): BallotPage =>
  ({ gameSlug: GAME, cycle: { id: CYCLE_ID }, published: true, typedData, items }) as unknown as BallotPage;

describe("the recount of published ballots", () => {
  it("counts a signed ballot, but none with another signature", async () => {
    const item = await createItem();
    const other = { ...item, message: { ...item.message, nonce: "cd".repeat(16) } };
    expect(await countBallots([createPage([item])], CHAIN_ID)).to.include({ aiAgentVotes: 1, invalid: 0 });
    expect(await countBallots([createPage([other])], CHAIN_ID)).to.include({ aiAgentVotes: 0, invalid: 1 });
  });

  it("counts a wallet once, however its address is spelled", async () => {
    const item = await createItem();
    const lower = account.address.toLowerCase();
    const again = { ...item, walletAddress: lower, message: { ...item.message, walletAddress: lower } };
    expect(await countBallots([createPage([item]), createPage([again])], CHAIN_ID)).to.include({
      aiAgentVotes: 1,
      invalid: 1,
    });
  });

  it("does not accept another signature as a vote, whatever types the service returns", async () => {
    const run = { wallet: account.address, sessionId: "s", replayDigest: `0x${"ab".repeat(32)}` };
    const typedData = createTypedData("Transcript", { chainId: CHAIN_ID }, run);
    const signature = await account.signTypedData(typedData as never);
    const item = await createItem();
    const forged = { ...item, signature, message: { ...item.message, ...run } };
    const page = createPage([forged], typedData);
    expect(await countBallots([page], CHAIN_ID)).to.include({ aiAgentVotes: 0, invalid: 1 });
  });
});
