import { expect } from "chai";
import { isAddressEqual, parseTransaction } from "viem";
import { createNextVersion } from "../../../backend/adapters/chain/transaction-manager/fees.ts";
import { systemClock } from "../../../backend/adapters/clock.ts";
import { waitFor } from "./chain-fixture.ts";
import { operator, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

describe("fees of the operator's transactions", function () {
  this.timeout(30_000);
  const env = useTransactionManager();

  it("raises the fees of a stuck transaction although the wall clock goes back", async () => {
    let shiftMs = 0;
    const clock = { ...systemClock, nowMs: () => Date.now() + shiftMs };
    const writer = env.start({ clock, stuckMs: 200 });
    await env.chain.client.setAutomine(false);
    await writer.submit(env.transfer("clock"));
    const first = await env.getRow("clock");
    shiftMs = -10 * 60_000;
    await waitFor(async () => (await env.getRow("clock")).txHash !== first.txHash);
    expect((await env.getRow("clock")).status).to.equal("sent");
  });

  it("a stuck transaction is sent again with higher fees, and every version is found", async () => {
    const writer = env.start({ stuckMs: 0 });
    await env.chain.client.setAutomine(false);
    const submitted = await writer.submit(env.transfer("stuck"));
    const first = parseTransaction((await env.getRow("stuck")).raw as `0x02${string}`);
    const second = await waitFor(async () => {
      const raw = parseTransaction((await env.getRow("stuck")).raw as `0x02${string}`);
      return raw.maxFeePerGas! > first.maxFeePerGas! ? raw : null;
    });
    expect(second.nonce).to.equal(first.nonce);
    expect(second.maxFeePerGas! * 8n >= first.maxFeePerGas! * 9n).to.equal(true);
    expect(second.maxPriorityFeePerGas! * 8n >= first.maxPriorityFeePerGas! * 9n).to.equal(true);
    await env.chain.client.mine({ blocks: 1 });
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("included");
    expect((await env.chain.client.getTransactionReceipt({ hash: settled.txHash! })).status).to.equal("success");
    expect(await env.balance()).to.equal(1n);
  });

  it("an earlier version in a block is found although one with higher fees was sent later", async () => {
    const writer = env.start({ stuckMs: 0 });
    env.node.dropSends(true);
    const submitted = await writer.submit(env.transfer("version"));
    const original = await env.getRow("version");
    // As if it was sent, bumped, and a miner took the first one.
    await env.store.transactions.update(submitted.id, { status: "sent", sentAtMs: 0 });
    await env.stop(writer);
    await env.chain.client.sendRawTransaction({ serializedTransaction: original.raw });
    const bumped = (await createNextVersion(operator, original, { minFeePerGas: 0n, feeCap: null }))!;
    await env.store.transactions.update(submitted.id, { raw: bumped.raw, txHash: bumped.txHash });
    env.node.dropSends(false);
    const settled = await env.start().waitForTransaction(submitted.id, WAIT_MS);
    expect(settled).to.include({ status: "included", txHash: original.txHash });
    expect(await env.balance()).to.equal(1n);
  });

  it("a transaction with fees below the block's base fee gets higher fees at once", async () => {
    const writer = env.start();
    env.node.dropSends(true);
    const submitted = await writer.submit(env.transfer("cheap"));
    await env.stop(writer);
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n });
    await env.chain.client.mine({ blocks: 1 });
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n });
    env.node.dropSends(false);
    const settled = await env.start().waitForTransaction(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("included");
    expect(await env.balance()).to.equal(1n);
  });

  it("an empty transfer that fills a gap gets higher fees when fees have risen meanwhile", async () => {
    const gapNonce = await env.leaveGap();
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const writer = env.start({ clock, stuckMs: 1_000 });
    await env.chain.client.setAutomine(false);
    await writer.submit(env.transfer("behind the gap"));
    const readFill = async () => {
      const { transactions } = await env.chain.client.getBlock({ blockTag: "pending", includeTransactions: true });
      return (
        transactions.find(({ from, nonce }) => isAddressEqual(from, operator.address) && nonce === gapNonce) ?? null
      );
    };
    const first = await waitFor(readFill);
    nowMs += 10_000;
    const second = await waitFor(async () => {
      const fill = await readFill();
      return fill !== null && fill.maxFeePerGas! > first.maxFeePerGas! ? fill : null;
    });
    expect(second.maxFeePerGas! * 8n >= first.maxFeePerGas! * 9n).to.equal(true);
  });
});
