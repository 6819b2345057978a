import { expect } from "chai";
import { isAddressEqual, numberToHex, parseTransaction } from "viem";
import { createOperatorAccount } from "../../../backend/adapters/chain/transaction-manager/account.ts";
import { createNextVersion } from "../../../backend/adapters/chain/transaction-manager/fees.ts";
import { NonceGaps } from "../../../backend/adapters/chain/transaction-manager/nonce-gap.ts";
import { OperatorWallet } from "../../../backend/adapters/chain/transaction-manager/operator-wallet.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Log } from "../../../backend/ports/system.ts";
import { FEE_RAISES_SPENT } from "../../../domain/operator-transactions.ts";
import type { Intercept } from "../../../testing/chaos/node.ts";
import { createTestRpc, refuseSends, SENDS, silentLog, testKeys, waitFor } from "./chain-fixture.ts";
import { operator, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

describe("fees of the operator's transactions", () => {
  const env = useTransactionManager();

  /** A block whose fee no transaction of these tests pays. */
  const mineEmptyBlock = async (): Promise<void> => {
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 12n });
    await env.chain.client.mine({ blocks: 1 });
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n });
  };

  const createErrorLog = () => {
    const errors: string[] = [];
    return { errors, log: { ...silentLog, error: (_: object, message: string) => void errors.push(message) } };
  };

  /** The empty transfers with this nonce that were sent so far; null if none. */
  const listFilled = (nonce: number) => {
    const sent = env.node.calls.filter(({ method }) => method === "eth_sendRawTransaction");
    const filled = sent
      .map(({ params }) => parseTransaction(params![0] as `0x02${string}`))
      .filter((transaction) => transaction.nonce === nonce && isAddressEqual(transaction.to!, operator.address));
    return filled.length === 0 ? null : filled;
  };
  const listSentFees = (nonce: number): readonly bigint[] =>
    (listFilled(nonce) ?? []).map(({ maxFeePerGas }) => maxFeePerGas!);

  it("raises the fees of a stuck transaction although the wall clock goes back", async () => {
    let shiftMs = 0;
    const clock = { ...systemClock, nowMs: () => Date.now() + shiftMs };
    const writer = env.start({ clock, stuckMs: 200 });
    await env.chain.client.setAutomine(false);
    await writer.submit(env.transfer("clock"));
    const first = await env.getRow("clock");
    shiftMs = -10 * 60_000;
    await waitFor(async () => {
      await mineEmptyBlock();
      return (await env.getRow("clock")).txHash !== first.txHash;
    });
    expect((await env.getRow("clock")).status).to.equal("sent");
  });

  it("a stuck transaction is sent again with higher fees, and every version is found", async () => {
    const writer = env.start({ stuckMs: 0 });
    await env.chain.client.setAutomine(false);
    const submitted = await writer.submit(env.transfer("stuck"));
    const first = parseTransaction((await env.getRow("stuck")).raw as `0x02${string}`);
    for (let poll = 0; poll < 3; poll++) await writer.poll();
    expect((await env.getRow("stuck")).txHash, "raised without a new block").to.equal(submitted.txHash);
    const second = await waitFor(async () => {
      await mineEmptyBlock();
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

  it("a tip of zero rises too, since nodes reject a replacement that raises only one of the fees", async () => {
    env.node.intercept(({ method }, response) =>
      method === "eth_maxPriorityFeePerGas" ? { id: response.id, result: "0x0" } : response,
    );
    const writer = env.start({ stuckMs: 0 });
    await env.chain.client.setAutomine(false);
    const { id } = await writer.submit(env.transfer("no-tip"));
    const first = await env.getRow("no-tip");
    expect(first.maxPriorityFeePerGas).to.equal(0n);
    await writer.order(id, "bump");
    const { raw, txHash, lastError } = await env.getRow("no-tip");
    expect(Number(parseTransaction(raw as `0x02${string}`).maxPriorityFeePerGas)).to.be.greaterThan(0);
    expect({ isNew: txHash !== first.txHash, lastError }).to.deep.equal({ isNew: true, lastError: null });
    await env.chain.client.mine({ blocks: 1 });
    expect(await writer.waitForTransaction(id, WAIT_MS)).to.include({ status: "included", txHash });
  });

  it("a node's proposed tip of a million gwei is capped at fifty, or at ten times the base fee", async () => {
    const gwei = 10n ** 9n;
    const propose: Intercept = ({ method }, response) =>
      method === "eth_maxPriorityFeePerGas" ? { id: response.id, result: numberToHex(1_000_000n * gwei) } : response;
    env.node.intercept(propose);
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: gwei });
    await env.chain.client.mine({ blocks: 1 });
    const { id } = await env.start().submit(env.transfer("greedy"));
    const cheap = parseTransaction((await env.getRow("greedy")).raw as `0x02${string}`);
    expect(cheap).to.include({ maxPriorityFeePerGas: 50n * gwei, maxFeePerGas: 52n * gwei });
    await env.start().waitForTransaction(id, WAIT_MS);
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 40n * gwei });
    await env.chain.client.mine({ blocks: 1 });
    await env.start().submit(env.transfer("expensive"));
    const expensive = parseTransaction((await env.getRow("expensive")).raw as `0x02${string}`);
    expect(expensive.maxPriorityFeePerGas).to.equal(400n * gwei);
  });

  it("an operator is told once that a transaction's fees were raised as often as they may be", async () => {
    const { log, errors } = createErrorLog();
    const writer = env.start({ stuckMs: 0, log });
    await env.chain.client.setAutomine(false);
    const { id } = await writer.submit(env.transfer("spent"));
    await waitFor(async () => {
      await mineEmptyBlock();
      return errors.length > 0;
    });
    const spent = await env.getRow("spent");
    expect(spent).to.include({ lastError: FEE_RAISES_SPENT, status: "sent" });
    for (let block = 0; block < 3; block++) {
      await mineEmptyBlock();
      await writer.poll();
    }
    expect(errors).to.deep.equal(["a transaction waits: its fees were raised 40 times and stay"]);
    expect((await env.getRow("spent")).txHash).to.equal(spent.txHash);
    await env.chain.client.mine({ blocks: 1 });
    expect((await writer.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
  });

  it("an earlier version in a block is found, although one with higher fees was sent later", async () => {
    const writer = env.start({ stuckMs: 0 });
    env.node.fail("cut", SENDS);
    const submitted = await writer.submit(env.transfer("version"));
    const original = await env.getRow("version");
    // As if it was sent and bumped, and a miner included the first version.
    await env.store.transactions.update(submitted.id, { status: "sent", sentAtMs: 0 });
    await env.stop(writer);
    await env.chain.client.sendRawTransaction({ serializedTransaction: original.raw });
    const bumped = (await createNextVersion(operator, original, { minFeePerGas: 0n, feeCap: null }))!;
    await env.store.transactions.update(submitted.id, { raw: bumped.raw, txHash: bumped.txHash });
    env.node.fail(null);
    const settled = await env.start().waitForTransaction(submitted.id, WAIT_MS);
    expect(settled).to.include({ status: "included", txHash: original.txHash });
    expect(await env.balance()).to.equal(1n);
  });

  it("a transaction with fees below the block's base fee gets higher fees at once", async () => {
    const writer = env.start();
    env.node.fail("cut", SENDS);
    const submitted = await writer.submit(env.transfer("cheap"));
    await env.stop(writer);
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n });
    await env.chain.client.mine({ blocks: 1 });
    await env.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n });
    env.node.fail(null);
    const settled = await env.start().waitForTransaction(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("included");
    expect(await env.balance()).to.equal(1n);
  });

  it("an empty transfer that fills a gap gets higher fees when fees have risen since", async () => {
    const gapNonce = await env.leaveGap();
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const writer = env.start({ clock, stuckMs: 1_000 });
    await env.chain.client.setAutomine(false);
    await writer.submit(env.transfer("behind the gap"));
    const [first] = await waitFor(() => listFilled(gapNonce));
    nowMs += 10_000;
    await mineEmptyBlock();
    const isRaised = ({ maxFeePerGas }: { readonly maxFeePerGas?: bigint | undefined }) =>
      maxFeePerGas! > first!.maxFeePerGas!;
    const second = await waitFor(() => listFilled(gapNonce)?.find(isRaised) ?? null);
    expect(second.maxFeePerGas! * 8n >= first!.maxFeePerGas! * 9n).to.equal(true);
  });

  describe("for a gap", () => {
    const openGaps = (log: Log = silentLog) => {
      const account = createOperatorAccount(testKeys.operator);
      const rpc = createTestRpc(env.node.url);
      const wallet = new OperatorWallet(rpc, rpc, account, { feeCap: null, gasMax: null });
      return new NonceGaps({ account, wallet, clock: systemClock, log, stuckMs: 0, feeCap: null });
    };

    it("rise only with new blocks, and at most forty times, which is reported once to the operator", async () => {
      const nonce = await env.nonceOnChain();
      await env.chain.client.setAutomine(false);
      const { log, errors } = createErrorLog();
      const gaps = openGaps(log);
      for (let poll = 0; poll < 5; poll++) await gaps.fill(nonce + 1, nonce, 7);
      expect(listSentFees(nonce)).to.have.length(1);
      for (let head = 8; head < 58; head++) await gaps.fill(nonce + 1, nonce, head);
      expect(listSentFees(nonce)).to.have.length(41);
      expect(errors).to.have.length(1);
      expect(errors[0]).to.include("fees were raised 40 times");
    });

    it("do not rise when the node has rejected the higher ones", async () => {
      const nonce = await env.nonceOnChain();
      await env.chain.client.setAutomine(false);
      const gaps = openGaps();
      await gaps.fill(nonce + 1, nonce, 7);
      env.node.fail("error", refuseSends("txpool is full"));
      for (let head = 8; head < 12; head++) await gaps.fill(nonce + 1, nonce, head);
      const [, ...refused] = listSentFees(nonce);
      expect(refused).to.have.length(4);
      expect(new Set(refused).size).to.equal(1);
    });
  });
});
