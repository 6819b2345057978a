import { expect } from "chai";
import { snapshotScore } from "../../client/index.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent } from "../../testing/player.ts";
import { useTestStack } from "../helpers/suite.ts";
import { createHttpMcpClient, createListedCaller } from "./mcp-client.ts";

/** A score of the first tier, for which the reference bot plays long enough to vote. */
const MIN_SCORE = 300;

describe("tools of the model context protocol for a wallet with a score", () => {
  const stack = useTestStack();

  /** A caller whose agent has a score on chain, and the facts that its tools take. */
  async function createCaller() {
    const agent = await createAgent(stack);
    const { sessionId } = await addEndedSession(stack, { wallet: agent.address, minScore: MIN_SCORE });
    await snapshotScore({ client: agent.client, sessionId });
    const token = await agent.getAccessToken();
    const facts: { [name: string]: unknown } = { walletAddress: agent.address };
    const call = await createListedCaller(
      createHttpMcpClient(stack.httpUrl, () => token),
      facts,
    );
    return { agent, facts, call };
  }

  it("mint returns the call, and records the NFT once it is sent", async () => {
    const { agent, facts, call } = await createCaller();
    facts.slug = "shellrunners";
    const prepared = await call("mint");
    expect(prepared).to.include({ action: "mint" });
    const { txHash } = await agent.wallet.sendCall(prepared.call);
    await agent.wallet.waitForReceipt(txHash);
    facts.txHash = txHash;
    expect(await call("mint")).to.include({ ok: true });
    const { agentId } = await agent.client.identity.ownershipStatus({ walletAddress: agent.address });
    facts.txHash = undefined;
    expect(await call("mint"), `the NFT of agent ${agentId}`).to.include({ action: "none" });
  });

  it("readiness reports what a payout would pay, and what remains after it", async () => {
    const { call } = await createCaller();
    const before = await call("readiness");
    expect(before).to.include({ scorebank: before.points });
    expect(before.points).to.be.at.least(MIN_SCORE);
    // The cooldown after a snapshot passes on the chain, not in the test.
    await stack.chain.request("evm_increaseTime", [6]);
    await stack.chain.request("evm_mine", []);
    expect((await call("payout")).score).to.equal(before.points);
    expect(await call("readiness")).to.deep.include({ ready: false, scorebank: 0 });
  });

  it("vote returns the ballot to sign, and counts it as an agent's", async () => {
    const { agent, facts, call } = await createCaller();
    facts.gameSlug = "demo-tidepool";
    const { nonce, typedData } = await call("vote");
    Object.assign(facts, { nonce, signature: await agent.wallet.signTypedData!(typedData) });
    expect(await call("vote")).to.include({ recorded: true, aiAgentVotes: 1, humanVotes: 0 });
  });
});
