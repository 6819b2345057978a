import { expect } from "chai";
import type { PublicClient } from "viem";
import { HeadTracker } from "../../../backend/adapters/chain/indexer/head.ts";
import {
  createOperatorAccount,
  type OperatorAccount,
} from "../../../backend/adapters/chain/transaction-manager/account.ts";
import { BatchSize } from "../../../backend/adapters/chain/transaction-manager/batch-size.ts";
import { OperatorWallet } from "../../../backend/adapters/chain/transaction-manager/operator-wallet.ts";
import { Reconciler } from "../../../backend/adapters/chain/transaction-manager/reconciler.ts";
import { Sender } from "../../../backend/adapters/chain/transaction-manager/sender.ts";
import { SerialQueue } from "../../../backend/adapters/chain/transaction-manager/serial-queue.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { createTestRpc, silentLog, testKeys, waitFor } from "./chain-fixture.ts";
import { operator, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

/** More polls than lie between two reads of the final block. */
const POLLS_OF_FINALITY = 10;

describe("the operator's transactions and reorganizations", () => {
  const env = useTransactionManager();

  /** Replaces the last blocks with empty ones, and adds one. */
  const reorganize = async (depth: number) => {
    await env.node.reorg(depth);
    await env.chain.client.mine({ blocks: 1 });
  };

  it("a transaction that a reorganization removes is sent again", async () => {
    const writer = env.start();
    const submitted = await writer.submit(env.transfer("reorged"));
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    await reorganize(1);
    await waitFor(async () => (await env.balance()) === 1n);
    const again = await waitFor(async () => {
      const found = await writer.find(submitted.id);
      return found?.block !== settled.block && found?.status === "included" ? found : null;
    });
    expect(again.txHash).to.equal(settled.txHash);
  });

  it("sends a transaction again that a reorganization deeper than the confirmations removes", async () => {
    const writer = env.start();
    const submitted = await writer.submit(env.transfer("deep"));
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    await env.chain.client.mine({ blocks: 12 });
    await writer.poll();
    await env.chain.client.setAutomine(false);
    await reorganize(13);
    await waitFor(async () => (await writer.find(submitted.id))?.status === "sent");
    expect(await env.balance()).to.equal(0n);
    await env.chain.client.mine({ blocks: 1 });
    const again = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(again).to.include({ status: "included", txHash: settled.txHash, isFinal: false });
    expect(again.block).to.be.greaterThan(settled.block!);
    expect(await env.balance()).to.equal(1n);
    expect(writer.counts()).to.deep.include({ included: 2, reorganized: 1 });
  });

  it("sends a transaction that lost its block again within three block times", async () => {
    const writer = env.start({ pollMs: 100 });
    const submitted = await writer.submit(env.transfer("quick"));
    await writer.waitForTransaction(submitted.id, WAIT_MS);
    await env.chain.client.mine({ blocks: 3 });
    await writer.poll();
    await env.chain.client.setAutomine(false);
    await reorganize(4);
    for (let block = 0; block < 3; block++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await env.chain.client.mine({ blocks: 1 });
    }
    expect(await env.balance()).to.equal(1n);
  });

  it("watches a transaction until its block is final, and not beyond", async () => {
    let finalBlock = -1;
    const writer = env.start({ readFinalBlock: async () => finalBlock });
    const submitted = await writer.submit(env.transfer("final"));
    const included = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(included.isFinal).to.equal(false);
    expect(await env.store.transactions.listUnsettled(operator.address)).to.have.length(1);
    finalBlock = included.block!;
    await waitFor(async () => (await writer.find(submitted.id))?.isFinal === true);
    expect(await env.store.transactions.listUnsettled(operator.address)).to.deep.equal([]);
    await writer.poll();
    const requestsBefore = env.node.calls.length;
    await writer.poll();
    expect(env.node.calls.length).to.equal(requestsBefore);
  });

  it("keeps watching a transaction after a node has wrongly reported a head as final, and sends it again", async () => {
    const tracker = new HeadTracker({ chainId: 8453, confirmations: 2, clock: systemClock });
    const poll = (finalized: "latest" | "earliest") => {
      const getBlock = ({ blockTag }: { readonly blockTag: string }) =>
        env.chain.client.getBlock({ blockTag: blockTag === "latest" ? "latest" : finalized });
      return tracker.poll({ getBlock } as unknown as PublicClient);
    };
    const writer = env.start({ readFinalBlock: async () => tracker.finality.final });
    const { id } = await writer.submit(env.transfer("wrong-final"));
    await writer.waitForTransaction(id, WAIT_MS);
    await env.chain.client.mine({ blocks: 4 });
    await poll("latest");
    for (let polls = 0; polls < POLLS_OF_FINALITY; polls++) await writer.poll();
    await env.chain.client.mine({ blocks: 4 });
    await poll("earliest");
    for (let polls = 0; polls < POLLS_OF_FINALITY; polls++) await writer.poll();
    expect((await writer.find(id))!.isFinal).to.equal(false);
    await env.chain.client.setAutomine(false);
    await reorganize(9);
    await waitFor(async () => (await writer.find(id))?.status === "sent");
    await env.chain.client.mine({ blocks: 1 });
    await waitFor(async () => (await env.balance()) === 1n);
  });

  it("makes one request per poll for all transactions whose blocks are unchanged", async () => {
    const writer = env.start({ pollMs: 60_000 });
    const submitted = await Promise.all(
      [1, 2, 3, 4, 5].map((number) => writer.submit(env.transfer(`cheap-${number}`))),
    );
    for (const { id } of submitted) await writer.waitForTransaction(id, WAIT_MS);
    await writer.poll();
    await writer.poll();
    let requests = 0;
    env.node.before(() => {
      requests += 1;
    });
    await writer.poll();
    expect(requests).to.equal(1);
  });

  it("keeps a transaction open that lost its block while the remote signer was unavailable", async () => {
    const account = createOperatorAccount(testKeys.operator);
    let isAway = false;
    let finalBlock = -1;
    const signTransaction: typeof account.signTransaction = async (transaction) => {
      if (isAway) throw new ArcadeError("SIGNER_UNAVAILABLE", "away");
      return await account.signTransaction(transaction);
    };
    const reconciler = createReconciler({ address: account.address, signTransaction }, async () => finalBlock);
    const writer = env.start();
    await env.chain.client.setAutomine(false);
    const { id } = await writer.submit(env.transfer("away"));
    await env.stop(writer);
    // Its earlier version must be signed again to be found.
    expect(await reconciler.order(id, "bump", null)).to.equal("bumped");
    await env.chain.client.mine({ blocks: 1 });
    await reconciler.reconcile();
    expect(await env.getRow("away")).to.include({ status: "included", settledAtMs: null });
    isAway = true;
    await reorganize(1);
    finalBlock = Number(await env.chain.client.getBlockNumber());
    for (let poll = 0; poll < POLLS_OF_FINALITY; poll++) await reconciler.reconcile();
    expect(await env.balance()).to.equal(0n);
    expect((await env.getRow("away")).settledAtMs, "settled without a block").to.equal(null);
    isAway = false;
    await reconciler.reconcile();
    await env.chain.client.mine({ blocks: 1 });
    await reconciler.reconcile();
    expect(await env.balance()).to.equal(1n);
  });

  function createReconciler(account: OperatorAccount, readFinalBlock: () => Promise<number>): Reconciler {
    const rpc = createTestRpc(env.node.url);
    const wallet = new OperatorWallet(rpc, rpc, account, { feeCap: null, gasMax: null });
    const shared = { account, wallet, store: env.store.transactions, clock: systemClock, log: silentLog };
    return new Reconciler({
      ...shared,
      nonces: new SerialQueue(),
      stuckMs: 60_000,
      feeCap: null,
      isLocal: true,
      sender: new Sender({ ...shared, batchSize: new BatchSize() }),
      readFinalBlock,
      onRefused: () => undefined,
    });
  }
});
