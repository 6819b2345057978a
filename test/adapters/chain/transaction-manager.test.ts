import { expect } from "chai";
import { parseTransaction } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
  startTransactionManager,
  type TransactionManager,
} from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { systemClock } from "../../../backend/adapters/clock.ts";
import { ArcadeError } from "../../../backend/domain/errors.ts";
import { createCall } from "../../../backend/domain/typed-data/calls.ts";
import type { TransactionRow } from "../../../backend/ports/store/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import {
  type ChainFixture,
  createTestRpc,
  openMemoryStore,
  silentLog,
  startChainFixture,
  testKeys,
  waitFor,
} from "./chain-fixture.ts";
import { startFaultyNode } from "./faulty-node.ts";

const operator = privateKeyToAccount(testKeys.operator);
const recipient = "0x00000000000000000000000000000000000A11cE";
const WAIT_MS = 10_000;

describe("the transaction manager", function () {
  this.timeout(30_000);
  let fixture: ChainFixture;
  let node: Awaited<ReturnType<typeof startFaultyNode>>;
  let store: Store;
  let open: TransactionManager[];
  let snapshotId: `0x${string}`;

  before(async () => {
    fixture = await startChainFixture();
    for (const player of fixture.players) await fixture.actions.register(player);
  });
  after(() => fixture.close());
  beforeEach(async () => {
    snapshotId = await fixture.client.snapshot();
    node = await startFaultyNode(fixture.rpcUrl);
    store = await openMemoryStore();
    open = [];
  });
  afterEach(async () => {
    for (const writer of open) await writer.close();
    node.close();
    await store.close();
    await fixture.client.setAutomine(true);
    await fixture.client.revert({ id: snapshotId });
  });

  const start = (more: Partial<Parameters<typeof startTransactionManager>[0]> = {}): TransactionManager => {
    const writer = startTransactionManager({
      rpc: createTestRpc(node.url),
      largeBatchRpc: createTestRpc(node.url),
      store: store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey: testKeys.operator,
      readFinalBlock: async () => -1,
      pollMs: 20,
      stuckMs: 60_000,
      ...more,
    });
    open.push(writer);
    return writer;
  };
  const stop = async (writer: TransactionManager) => {
    open = open.filter((other) => other !== writer);
    await writer.close();
  };
  const transfer = (key: string, value = 1n) => ({ kind: "test", key, to: recipient, data: "0x", value }) as const;
  const balance = () => fixture.client.getBalance({ address: recipient });
  const nonceOnChain = () => fixture.client.getTransactionCount({ address: operator.address });
  const getRow = async (key: string): Promise<TransactionRow> => (await store.transactions.findByKey("test", key))!;
  /** A payout that the contract accepts, for player `index`. */
  const preparePayout = async (index: number) => {
    const player = fixture.players[index]!;
    await fixture.actions.snapshot(player, "flappybots", 10, 1);
    await fixture.client.increaseTime({ seconds: 10 });
    const { to, data } = createCall(31337, fixture.deployment.rewards, "payout", [player.address]);
    return { kind: "payout", key: `payout-${index}`, to, data };
  };

  it("a payout is sent and reported when it is in a block", async () => {
    const writer = start();
    const request = await preparePayout(0);
    const submitted = await writer.submit(request);
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(settled).to.deep.include({ id: submitted.id, status: "included", kind: "payout", key: "payout-0" });
    const receipt = await fixture.client.getTransactionReceipt({ hash: settled.txHash! });
    expect(receipt.status).to.equal("success");
    expect(Number(receipt.blockNumber)).to.equal(settled.block);
    expect(await writer.find(submitted.id)).to.deep.equal(settled);
    expect(await writer.find("unknown")).to.equal(null);
  });

  it("fifty concurrent calls with the same key get the same transaction", async () => {
    const writer = start();
    const before = await nonceOnChain();
    const results = await Promise.all(Array.from({ length: 50 }, () => writer.submit(transfer("same"))));
    expect(new Set(results.map(({ id }) => id)).size).to.equal(1);
    await writer.waitForTransaction(results[0]!.id, WAIT_MS);
    await writer.submit(transfer("same"));
    expect(await nonceOnChain()).to.equal(before + 1);
    expect(await balance()).to.equal(1n);
  });

  it("many concurrent transactions get consecutive nonces", async () => {
    const writer = start();
    const before = await nonceOnChain();
    const submitted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => writer.submit(transfer(`many-${index}`))),
    );
    for (const { id } of submitted) expect((await writer.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
    expect(await nonceOnChain()).to.equal(before + 20);
    expect(await balance()).to.equal(20n);
  });

  it("two backends of the same operator share their nonces", async () => {
    const writers = [start(), start()];
    const submitted = await Promise.all(
      Array.from({ length: 16 }, (_, index) => writers[index % 2]!.submit(transfer(`shared-${index}`))),
    );
    const settled = await Promise.all(submitted.map(({ id }) => writers[0]!.waitForTransaction(id, WAIT_MS)));
    expect(new Set(settled.map(({ status }) => status))).to.deep.equal(new Set(["included"]));
    const rows = await Promise.all(submitted.map(({ id }) => store.transactions.find(id)));
    expect(new Set(rows.map((row) => row!.nonce)).size).to.equal(16);
  });

  it("a call that the contract would revert is rejected without a row and a nonce", async () => {
    const writer = start();
    const before = await nonceOnChain();
    const { to, data } = createCall(31337, fixture.deployment.rewards, "payout", [recipient]);
    const error = await writer.submit({ kind: "payout", key: "bad", to, data }).catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(ArcadeError);
    expect(error).to.include({ code: "TX_FAILED" });
    expect((error as ArcadeError).fields).to.deep.equal({ revert: "ScorebankEmpty" });
    expect((error as ArcadeError).message).to.include(`ScorebankEmpty(${recipient})`);
    expect(await store.transactions.findByKey("payout", "bad")).to.equal(null);
    expect(await nonceOnChain()).to.equal(before);
  });

  it("a transaction that reverts in its block is failed", async () => {
    const writer = start();
    const request = await preparePayout(0);
    await fixture.client.setAutomine(false);
    const submitted = await writer.submit(request);
    const competingHash = await fixture.client.sendTransaction({
      account: fixture.players[0]!,
      to: request.to,
      data: request.data,
      gas: 500_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 11n,
    });
    // First in, first out: the competing transaction must come first.
    await fixture.client.dropTransaction({ hash: submitted.txHash! });
    await waitFor(async () => (await store.transactions.find(submitted.id))?.status === "sent");
    await writer.poll();
    await fixture.client.mine({ blocks: 1 });
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("failed");
    const { lastError } = (await store.transactions.find(submitted.id))!;
    expect(lastError, "why it reverted").to.match(/^ScorebankEmpty\(/);
    expect((await fixture.client.getTransactionReceipt({ hash: competingHash })).status).to.equal("success");
  });

  it("a transaction is stored before it is sent to the node", async () => {
    const writer = start();
    const seen: unknown[] = [];
    node.onSend(async () => {
      seen.push(await store.transactions.findByKey("test", "first"));
    });
    const submitted = await writer.submit(transfer("first"));
    expect(seen).to.have.length(1);
    expect(seen[0]).to.include({ id: submitted.id, txHash: submitted.txHash, status: "queued" });
  });

  it("a restart sends a transaction that was stored and never sent", async () => {
    const writer = start();
    node.dropSends(true);
    const submitted = await Promise.all([writer.submit(transfer("crash-1")), writer.submit(transfer("crash-2"))]);
    expect(submitted.map(({ status }) => status)).to.deep.equal(["queued", "queued"]);
    await stop(writer);
    expect(await balance()).to.equal(0n);
    node.dropSends(false);
    const again = start();
    for (const { id, txHash } of submitted) {
      const settled = await again.waitForTransaction(id, WAIT_MS);
      expect(settled).to.include({ status: "included", txHash });
    }
    expect(await balance()).to.equal(2n);
  });

  it("a restart finds a transaction that reached the chain before the crash", async () => {
    const writer = start();
    node.dropSends(true);
    const submitted = await writer.submit(transfer("landed"));
    await stop(writer);
    await fixture.client.sendRawTransaction({ serializedTransaction: (await getRow("landed")).raw });
    node.dropSends(false);
    expect((await start().waitForTransaction(submitted.id, WAIT_MS)).status).to.equal("included");
    expect(await balance()).to.equal(1n);
  });

  it("the next nonce is above one that was used outside of the store", async () => {
    const writer = start();
    await writer.waitForTransaction((await writer.submit(transfer("before"))).id, WAIT_MS);
    await fixture.client.sendTransaction({ account: operator, to: recipient, value: 5n });
    const after = await writer.submit(transfer("after"));
    // The transaction is the submitted one: nothing had to be reconciled.
    expect(await writer.waitForTransaction(after.id, WAIT_MS)).to.include({ status: "included", txHash: after.txHash });
    expect(await balance()).to.equal(7n);
  });

  it("a transaction gets a new nonce when its own was used outside of the store", async () => {
    const writer = start();
    node.dropSends(true);
    const submitted = await writer.submit(transfer("replaced"));
    await fixture.client.sendTransaction({ account: operator, to: recipient, value: 5n });
    node.dropSends(false);
    expect((await writer.waitForTransaction(submitted.id, WAIT_MS)).status).to.equal("included");
    expect(await balance()).to.equal(6n);
  });

  it("a gap in the nonces is filled with empty transfers", async () => {
    const writer = start();
    const first = await writer.submit(transfer("gone"));
    await writer.waitForTransaction(first.id, WAIT_MS);
    await stop(writer);
    await store.transactions.update(first.id, { status: "included", settledAtMs: 0 });
    // The chain drops the transaction; the transaction manager has it as confirmed.
    await fixture.client.revert({ id: snapshotId });
    snapshotId = await fixture.client.snapshot();
    const again = start();
    const next = await again.submit(transfer("next"));
    expect((await getRow("next")).nonce).to.equal((await nonceOnChain()) + 1);
    expect((await again.waitForTransaction(next.id, WAIT_MS)).status).to.equal("included");
    expect(await balance()).to.equal(1n);
  });

  it("a transaction that a reorganization removes is sent again", async () => {
    const writer = start();
    const forkId = await fixture.client.snapshot();
    const submitted = await writer.submit(transfer("reorged"));
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    await fixture.client.revert({ id: forkId });
    expect(await balance()).to.equal(0n);
    await fixture.client.mine({ blocks: 1 });
    await waitFor(async () => (await balance()) === 1n);
    const again = await waitFor(async () => {
      const found = await writer.find(submitted.id);
      return found?.block !== settled.block && found?.status === "included" ? found : null;
    });
    expect(again.txHash).to.equal(settled.txHash);
  });

  /** Undoes everything since `forkId` and mines other blocks in its place. */
  const reorganize = async (forkId: `0x${string}`, blocks: number) => {
    await fixture.client.revert({ id: forkId });
    await fixture.client.mine({ blocks });
  };

  it("sends a transaction again that a reorganization deeper than the confirmations removes", async () => {
    const writer = start();
    const forkId = await fixture.client.snapshot();
    const submitted = await writer.submit(transfer("deep"));
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    await fixture.client.mine({ blocks: 12 });
    await writer.poll();
    await fixture.client.setAutomine(false);
    await reorganize(forkId, 14);
    await waitFor(async () => (await writer.find(submitted.id))?.status === "sent");
    expect(await balance()).to.equal(0n);
    await fixture.client.mine({ blocks: 1 });
    const again = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(again).to.include({ status: "included", txHash: settled.txHash, isFinal: false });
    expect(again.block).to.be.greaterThan(settled.block!);
    expect(await balance()).to.equal(1n);
    expect(writer.counts()).to.deep.include({ included: 2, reorganized: 1 });
  });

  it("sends a transaction that lost its block again within three block times", async () => {
    const writer = start({ pollMs: 100 });
    const forkId = await fixture.client.snapshot();
    const submitted = await writer.submit(transfer("quick"));
    await writer.waitForTransaction(submitted.id, WAIT_MS);
    await fixture.client.mine({ blocks: 3 });
    await writer.poll();
    await fixture.client.setAutomine(false);
    await reorganize(forkId, 5);
    for (let block = 0; block < 3; block++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await fixture.client.mine({ blocks: 1 });
    }
    expect(await balance()).to.equal(1n);
  });

  it("watches a transaction until its block is final, and not beyond", async () => {
    let finalBlock = -1;
    const writer = start({ readFinalBlock: async () => finalBlock });
    const submitted = await writer.submit(transfer("final"));
    const included = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(included.isFinal).to.equal(false);
    expect(await store.transactions.listUnsettled(operator.address)).to.have.length(1);
    finalBlock = included.block!;
    await waitFor(async () => (await writer.find(submitted.id))?.isFinal === true);
    expect(await store.transactions.listUnsettled(operator.address)).to.deep.equal([]);
    await writer.poll();
    const requestsBefore = node.requests();
    await writer.poll();
    expect(node.requests()).to.equal(requestsBefore);
  });

  it("asks one question a poll for all transactions whose blocks are unchanged", async () => {
    const writer = start({ pollMs: 60_000 });
    const submitted = await Promise.all([1, 2, 3, 4, 5].map((number) => writer.submit(transfer(`cheap-${number}`))));
    for (const { id } of submitted) await writer.waitForTransaction(id, WAIT_MS);
    await writer.poll();
    await writer.poll();
    const requestsBefore = node.requests();
    await writer.poll();
    expect(node.requests() - requestsBefore).to.equal(1);
  });

  it("reports a node's reason for refusing a transaction once, and sends it when the node accepts it", async () => {
    const warnings: { readonly reason?: string }[] = [];
    const writer = start({ log: { ...silentLog, warn: (fields) => warnings.push(fields) } });
    node.refuseSends("insufficient funds for gas * price + value");
    const submitted = await writer.submit(transfer("refused"));
    for (let poll = 0; poll < 5; poll++) await writer.poll();
    expect(warnings.map(({ reason }) => reason)).to.deep.equal(["insufficient funds for gas * price + value"]);
    expect((await getRow("refused")).lastError).to.equal("insufficient funds for gas * price + value");
    expect(writer.counts().refused).to.equal(1);
    node.refuseSends("txpool is full");
    for (let poll = 0; poll < 3; poll++) await writer.poll();
    expect(warnings.map(({ reason }) => reason).at(-1)).to.equal("txpool is full");
    expect(warnings).to.have.length(2);
    node.refuseSends(null);
    expect((await writer.waitForTransaction(submitted.id, WAIT_MS)).status).to.equal("included");
    expect((await getRow("refused")).lastError).to.equal(null);
  });

  it("raises the fees of a stuck transaction although the wall clock goes back", async () => {
    let shiftMs = 0;
    const clock = { ...systemClock, nowMs: () => Date.now() + shiftMs };
    const writer = start({ clock, stuckMs: 200 });
    await fixture.client.setAutomine(false);
    await writer.submit(transfer("clock"));
    const first = await getRow("clock");
    shiftMs = -10 * 60_000;
    await waitFor(async () => (await getRow("clock")).txHash !== first.txHash);
    expect((await getRow("clock")).status).to.equal("sent");
  });

  it("a stuck transaction is sent again with higher fees, and every version is found", async () => {
    const writer = start({ stuckMs: 0 });
    await fixture.client.setAutomine(false);
    const submitted = await writer.submit(transfer("stuck"));
    const first = parseTransaction((await getRow("stuck")).raw as `0x02${string}`);
    const second = await waitFor(async () => {
      const raw = parseTransaction((await getRow("stuck")).raw as `0x02${string}`);
      return raw.maxFeePerGas! > first.maxFeePerGas! ? raw : null;
    });
    expect(second.nonce).to.equal(first.nonce);
    expect(second.maxFeePerGas! * 8n >= first.maxFeePerGas! * 9n).to.equal(true);
    expect(second.maxPriorityFeePerGas! * 8n >= first.maxPriorityFeePerGas! * 9n).to.equal(true);
    await fixture.client.mine({ blocks: 1 });
    const settled = await writer.waitForTransaction(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("included");
    expect((await fixture.client.getTransactionReceipt({ hash: settled.txHash! })).status).to.equal("success");
    expect(await balance()).to.equal(1n);
  });

  it("an earlier version in a block is found although one with higher fees was sent later", async () => {
    const writer = start({ stuckMs: 0 });
    node.dropSends(true);
    const submitted = await writer.submit(transfer("version"));
    const original = await getRow("version");
    // As if it was sent, bumped, and a miner took the first one.
    await store.transactions.update(submitted.id, { status: "sent", sentAtMs: 0 });
    await stop(writer);
    await fixture.client.sendRawTransaction({ serializedTransaction: original.raw });
    const { createNextVersion: nextVersion } = await import(
      "../../../backend/adapters/chain/transaction-manager/fees.ts"
    );
    const bumped = (await nextVersion(operator, original, { minFeePerGas: 0n, feeCap: null }))!;
    await store.transactions.update(submitted.id, { raw: bumped.raw, txHash: bumped.txHash });
    node.dropSends(false);
    const settled = await start().waitForTransaction(submitted.id, WAIT_MS);
    expect(settled).to.include({ status: "included", txHash: original.txHash });
    expect(await balance()).to.equal(1n);
  });

  it("a transaction with fees below the block's base fee gets higher fees at once", async () => {
    const writer = start();
    node.dropSends(true);
    const submitted = await writer.submit(transfer("cheap"));
    await stop(writer);
    await fixture.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n });
    await fixture.client.mine({ blocks: 1 });
    await fixture.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n });
    node.dropSends(false);
    const settled = await start().waitForTransaction(submitted.id, WAIT_MS);
    expect(settled.status).to.equal("included");
    expect(await balance()).to.equal(1n);
  });

  it("a call throws CHAIN_UNAVAILABLE while the node is down, without a row", async () => {
    const writer = start();
    node.setFailure("error-502");
    const error = await writer.submit(transfer("away")).catch((cause: unknown) => cause);
    expect(error).to.include({ code: "CHAIN_UNAVAILABLE" });
    expect(await store.transactions.findByKey("test", "away")).to.equal(null);
  });

  it("waitForTransaction returns the current state after its timeout", async () => {
    const writer = start();
    await fixture.client.setAutomine(false);
    const submitted = await writer.submit(transfer("slow"));
    expect((await writer.waitForTransaction(submitted.id, 30)).status).to.equal("sent");
  });
});
