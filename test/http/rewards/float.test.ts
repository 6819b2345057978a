import { expect } from "chai";
import { encodeFunctionData, erc20Abi, parseAbi } from "viem";
import { developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import { snapshotScore } from "../../../client/index.ts";
import { addEndedSession, withStore } from "../../../testing/ended-session.ts";
import { createAgent } from "../../../testing/player.ts";
import { waitFor } from "../../adapters/chain/chain-fixture.ts";
import { useTestStack } from "../../helpers/suite.ts";
import { createContractReader, increaseChainTime, sendWithFixedGas } from "../support/on-chain.ts";

const ABI = parseAbi(["function withdraw(address to, uint256 amount)"]);
const COOLDOWN_SECONDS = 6;
const TOKEN = 10n ** 18n;
const admin = developmentServiceAccount(0);

describe("an empty float", () => {
  const stack = useTestStack();

  /** Empties the float as the admin, as if after many payouts. Returns the amount. */
  async function emptyFloat(): Promise<bigint> {
    const { rewards } = stack.deployment;
    const float = await createContractReader(stack).getTokenBalance(rewards);
    const data = encodeFunctionData({ abi: ABI, functionName: "withdraw", args: [admin.address, float] });
    await sendWithFixedGas(stack, admin.privateKey, { to: rewards, data });
    return float;
  }

  /** A plain transfer of reward tokens, as in the runbook. */
  async function refill(amount: bigint): Promise<void> {
    const { rewards, token } = stack.deployment;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [rewards, amount] });
    await sendWithFixedGas(stack, admin.privateKey, { to: token, data });
  }

  it("refuses payouts before anything is sent, and pays them once it is filled", async () => {
    const player = await createAgent(stack);
    const { sessionId, score } = await addEndedSession(stack, {
      wallet: player.address,
      slug: "shellrunners",
      minScore: 10,
    });
    await snapshotScore({ client: player.client, sessionId });
    await increaseChainTime(stack, COOLDOWN_SECONDS);
    const float = await emptyFloat();
    const payOut = async () =>
      stack.request("POST", "/api/rewards/payout", { token: await player.getAccessToken(), body: {} });

    const readReasons = async () =>
      (await stack.request("POST", "/api/rewards/readiness", { token: await player.getAccessToken() })).body.reasons;
    await waitFor(async () => (await readReasons()).includes("FLOAT_EMPTY"));
    const refused = await payOut();
    expect(refused.status).to.equal(409);
    expect(refused.body).to.deep.include({ code: "PAYOUT_NOT_READY", reasons: ["FLOAT_EMPTY"] });
    const reader = createContractReader(stack);
    expect(await reader.getScorebank(player.address)).to.equal(BigInt(score));
    expect(await withStore(stack, ({ payouts }) => payouts.findOpen(player.address))).to.equal(null);

    await refill(float);
    const paid = await payOut();
    expect(paid.status).to.equal(200);
    expect(paid.body).to.include({ status: "included", score });
    expect(await reader.getTokenBalance(player.address)).to.equal(BigInt(score) * TOKEN);
    expect(await reader.getScorebank(player.address)).to.equal(0n);
  });
});
