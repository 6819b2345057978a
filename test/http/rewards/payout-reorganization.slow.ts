import { expect } from "chai";
import { snapshotScore } from "../../../client/index.ts";
import { addEndedSession, withStore } from "../../../testing/ended-session.ts";
import { createAgent, type Player } from "../../../testing/player.ts";
import { createPayoutRow } from "../../adapters/store/rows.ts";
import { useEach } from "../../helpers/fixture.ts";
import { startTestStack } from "../../helpers/suite.ts";
import { createContractReader, increaseChainTime } from "../support/on-chain.ts";

const COOLDOWN_SECONDS = 6;
const TOKEN = 10n ** 18n;

describe("payouts in the background", () => {
  let player: Player;
  let score: number;
  const stack = useEach(startTestStack);
  beforeEach(async () => {
    player = await createAgent(stack);
    const ended = await addEndedSession(stack, { wallet: player.address, slug: "shellrunners", minScore: 10 });
    score = ended.score;
    await snapshotScore({ client: player.client, sessionId: ended.sessionId });
    await increaseChainTime(stack, COOLDOWN_SECONDS);
  });

  const chain = (method: string, params: readonly unknown[] = []) => stack.chain.request(method, [...params]);
  const mine = (blocks: number) => chain("hardhat_mine", [`0x${blocks.toString(16)}`]);
  const getTokens = () => createContractReader(stack).getTokenBalance(player.address);
  const requestPayout = async () =>
    stack.request("POST", "/api/rewards/payout", { token: await player.getAccessToken(), body: {} });
  const readStatus = async (payoutId: string) =>
    (await stack.request("GET", `/api/rewards/payout/${payoutId}`, { token: await player.getAccessToken() })).body;
  const waitForStatus = async (payoutId: string, status: string) => {
    for (;;) {
      const body = await readStatus(payoutId);
      if (body.status === status) return body;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const readHistory = async () =>
    (await stack.request("POST", "/api/rewards/payout-history", { token: await player.getAccessToken(), body: {} }))
      .body;

  it("pays again after a reorganization deeper than the confirmations, and reports each state correctly", async () => {
    const paid = await requestPayout();
    expect(paid.body).to.include({ status: "included", score });
    const { payoutId } = paid.body;
    await mine(10);
    // Time for several polls of the transaction manager on the longer chain.
    for (let request = 0; request < 60; request++) await readStatus(payoutId);
    await chain("evm_setAutomine", [false]);
    await chain("arcade_reorg", [11, null]);
    await mine(1);
    expect(await getTokens()).to.equal(0n);
    expect(await waitForStatus(payoutId, "sent")).to.include({ txHash: paid.body.txHash });
    // The indexer and the transaction manager detect the reorganization at different times.
    while ((await readHistory()).total !== 0);
    await mine(1);
    await waitForStatus(payoutId, "included");
    expect(await getTokens()).to.equal(BigInt(score) * TOKEN);
    const history = await readHistory();
    expect(history.items).to.have.length(1);
    expect(history.items[0]).to.include({ payoutId, score });
  });

  it("joins a request to the payout that a reorganization has undone", async () => {
    const paid = await requestPayout();
    await chain("evm_setAutomine", [false]);
    await chain("arcade_reorg", [1, null]);
    await mine(2);
    // Without a block it is answered after waiting for ten seconds.
    const second = await requestPayout();
    expect(second.status).to.equal(202);
    expect(second.body).to.include({ payoutId: paid.body.payoutId, status: "sent" });
    await mine(1);
    await waitForStatus(paid.body.payoutId, "included");
    const operatorTransactions = await withStore(stack, async ({ payouts }) => payouts.listUnsettled(player.address));
    expect(operatorTransactions).to.have.length(1);
    expect(await getTokens()).to.equal(BigInt(score) * TOKEN);
  });

  it("settles a payout that no client requests", async () => {
    const amounts = { score: BigInt(score), amount: BigInt(score) * TOKEN };
    const row = createPayoutRow({ wallet: player.address, ...amounts, createdAtMs: Date.now() });
    await withStore(stack, (store) => store.payouts.open(row));
    const readOpen = () => withStore(stack, (store) => store.payouts.findOpen(player.address));
    while ((await readOpen()) !== null) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await getTokens()).to.equal(BigInt(score) * TOKEN);
    const body = await stack.request("POST", "/api/rewards/readiness", {
      token: await player.getAccessToken(),
      body: {},
    });
    expect(body.body.reasons).to.not.include("PAYOUT_PENDING");
  });
});
