import { expect } from "chai";
import type { TransactionManager } from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { FEE_ABOVE_CAP, REPLACED, toTransactionState } from "../../../domain/operator-transactions.ts";
import { SENDS, waitFor } from "./chain-fixture.ts";
import { useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

const FINALITY = { safe: -1, final: -1 };

describe("orders for the operator's transactions", () => {
  const env = useTransactionManager();
  let manager: TransactionManager;

  beforeEach(async () => {
    manager = env.start();
    await env.chain.client.setAutomine(false);
  });

  const submit = (key: string) => manager.submit(env.transfer(key));
  const getRow = async (id: string) => (await env.store.transactions.find(id))!;
  const getState = async (id: string) => toTransactionState(await getRow(id), FINALITY);

  it("a bump replaces the first version with one that has higher fees", async () => {
    const { id, txHash } = await submit("bumped");
    expect(await manager.order(id, "bump")).to.equal("bumped");
    const row = await getRow(id);
    expect(row.txHash).to.not.equal(txHash);
    await env.chain.client.mine({ blocks: 1 });
    expect(await manager.waitForTransaction(id, WAIT_MS)).to.include({ status: "included", txHash: row.txHash });
    expect(await env.balance()).to.equal(1n);
    expect(await manager.order(id, "bump")).to.equal("not_waiting");
    expect(await manager.order("unknown", "cancel")).to.equal("unknown");
  });

  it("a bump whose version does not reach the node raises the fees once, and is sent later", async () => {
    const { id } = await submit("unsent");
    env.node.fail("cut", SENDS);
    expect(await manager.order(id, "bump")).to.equal("bumped");
    const { txHash } = await getRow(id);
    await manager.poll();
    expect(manager.counts().bumped).to.equal(1);
    env.node.fail(null);
    await manager.poll();
    await env.chain.client.mine({ blocks: 1 });
    expect(await manager.waitForTransaction(id, WAIT_MS)).to.include({ status: "included", txHash });
  });

  for (const [action, outcome] of [
    ["bump", "bumped"],
    ["cancel", "cancelled"],
  ] as const)
    it(`a ${action} ends its order in the replacement's commit, so that a crash causes no second one`, async () => {
      const { id } = await submit(outcome);
      await env.store.operator.orderTransaction(id, action, { auditId: action, who: "me", atMs: 1 });
      expect(await manager.order(id, action, action)).to.equal(outcome);
      expect(await env.store.operator.findTransactionOrder(action)).to.include({ outcome });
      expect(await env.store.operator.listOpenTransactionOrders()).to.deep.equal([]);
    });

  it("a cancellation uses the nonce without executing the call, and later transactions continue", async () => {
    const before = await env.nonceOnChain();
    const { id } = await submit("cancelled");
    const { id: later } = await submit("later");
    expect(await manager.order(id, "cancel")).to.equal("cancelled");
    expect(await manager.order(id, "cancel"), "again").to.equal("cancelled");
    await env.chain.client.mine({ blocks: 1 });
    expect((await manager.waitForTransaction(later, WAIT_MS)).status).to.equal("included");
    expect((await manager.waitForTransaction(id, WAIT_MS)).status).to.equal("failed");
    expect(await getRow(id)).to.include({ lastError: REPLACED });
    expect(await getState(id)).to.equal("replaced");
    expect(await env.nonceOnChain()).to.equal(before + 2);
    expect(await env.balance(), "of the later one only").to.equal(1n);
  });

  it("an order for a call that has failed for good changes nothing", async () => {
    const { id } = await submit("settled");
    await env.store.transactions.update(id, { status: "failed", settledAtMs: 1 });
    const row = await getRow(id);
    for (const order of ["bump", "cancel"] as const) expect(await manager.order(id, order)).to.equal("not_waiting");
    expect(await getRow(id)).to.deep.equal(row);
  });

  it("a call that is mined before its cancellation counts as sent", async () => {
    const { id, txHash } = await submit("faster");
    const { raw } = await getRow(id);
    expect(await manager.order(id, "cancel")).to.equal("cancelled");
    const cancellation = await getRow(id);
    await env.stop(manager);
    await env.chain.client.dropTransaction({ hash: cancellation.txHash });
    await env.chain.client.sendRawTransaction({ serializedTransaction: raw });
    await env.chain.client.mine({ blocks: 1 });
    manager = env.start();
    expect(await manager.waitForTransaction(id, WAIT_MS)).to.include({ status: "included", txHash });
    expect(await env.balance()).to.equal(1n);
  });

  it("a transaction that needs more than the fee cap waits and is reported until the fees fall", async () => {
    await env.stop(manager);
    const { baseFeePerGas } = await env.chain.client.getBlock();
    const cap = baseFeePerGas! + 10n ** 9n;
    manager = env.start({ feeCap: cap });
    const expensive = baseFeePerGas! + 10n ** 11n;
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: expensive });
    await env.chain.client.mine({ blocks: 1 });
    const { id } = await submit("expensive");
    while ((await manager.order(id, "bump")) === "bumped");
    expect(await getState(id)).to.equal("above_fee_cap");
    const row = await getRow(id);
    expect(row).to.include({ lastError: FEE_ABOVE_CAP, block: null });
    expect(row.maxFeePerGas <= cap).to.equal(true);
    expect(manager.counts().aboveFeeCap).to.equal(1);
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeePerGas! });
    await env.chain.client.mine({ blocks: 1 });
    await waitFor(async () => {
      await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeePerGas! });
      await env.chain.client.mine({ blocks: 1 });
      return (await getRow(id)).status === "included";
    });
    expect(await getState(id)).to.equal("included");
  });
});
