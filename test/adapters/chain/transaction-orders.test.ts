import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import {
  startTransactionManager,
  type TransactionManager,
} from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { systemClock } from "../../../backend/adapters/clock.ts";
import { FEE_ABOVE_CAP, REPLACED, toTransactionState } from "../../../backend/domain/operator-transactions.ts";
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

const operator = privateKeyToAccount(testKeys.operator);
const recipient = "0x00000000000000000000000000000000000A11cE";
const WAIT_MS = 10_000;
const FINALITY = { safe: -1, final: -1 };

describe("orders for the operator's transactions", function () {
  this.timeout(30_000);
  let fixture: ChainFixture;
  let store: Store;
  let manager: TransactionManager;
  let snapshotId: `0x${string}`;

  before(async () => {
    fixture = await startChainFixture();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    snapshotId = await fixture.client.snapshot();
    store = await openMemoryStore();
    manager = start(null);
    await fixture.client.setAutomine(false);
  });
  afterEach(async () => {
    await manager.close();
    await store.close();
    await fixture.client.setAutomine(true);
    await fixture.client.revert({ id: snapshotId });
  });

  const start = (feeCap: bigint | null): TransactionManager =>
    startTransactionManager({
      rpc: createTestRpc(fixture.rpcUrl),
      largeBatchRpc: createTestRpc(fixture.rpcUrl),
      store: store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey: testKeys.operator,
      readFinalBlock: async () => -1,
      pollMs: 20,
      stuckMs: 60_000,
      feeCap,
    });
  const submit = (key: string) => manager.submit({ kind: "test", key, to: recipient, data: "0x", value: 1n });
  const balance = () => fixture.client.getBalance({ address: recipient });
  const nonceOnChain = () => fixture.client.getTransactionCount({ address: operator.address });
  const getRow = async (id: string) => (await store.transactions.find(id))!;
  const getState = async (id: string) => toTransactionState(await getRow(id), FINALITY);

  it("a bump puts a version with higher fees in the place of the first", async () => {
    const { id, txHash } = await submit("bumped");
    expect(await manager.order(id, "bump")).to.equal("bumped");
    const row = await getRow(id);
    expect(row.txHash).to.not.equal(txHash);
    await fixture.client.mine({ blocks: 1 });
    expect(await manager.waitForTransaction(id, WAIT_MS)).to.include({ status: "included", txHash: row.txHash });
    expect(await balance()).to.equal(1n);
    expect(await manager.order(id, "bump")).to.equal("not_waiting");
    expect(await manager.order("unknown", "cancel")).to.equal("unknown");
  });

  it("a cancellation uses the nonce without the call, and later transactions go on", async () => {
    const before = await nonceOnChain();
    const { id } = await submit("cancelled");
    const { id: later } = await submit("later");
    expect(await manager.order(id, "cancel")).to.equal("cancelled");
    expect(await manager.order(id, "cancel"), "again").to.equal("cancelled");
    await fixture.client.mine({ blocks: 1 });
    expect((await manager.waitForTransaction(later, WAIT_MS)).status).to.equal("included");
    expect((await manager.waitForTransaction(id, WAIT_MS)).status).to.equal("failed");
    expect(await getRow(id)).to.include({ lastError: REPLACED });
    expect(await getState(id)).to.equal("replaced");
    expect(await nonceOnChain()).to.equal(before + 2);
    expect(await balance(), "of the later one only").to.equal(1n);
  });

  it("a call that a block takes before its cancellation counts as sent", async () => {
    const { id, txHash } = await submit("faster");
    const { raw } = await getRow(id);
    expect(await manager.order(id, "cancel")).to.equal("cancelled");
    const cancellation = await getRow(id);
    await manager.close();
    await fixture.client.dropTransaction({ hash: cancellation.txHash });
    await fixture.client.sendRawTransaction({ serializedTransaction: raw });
    await fixture.client.mine({ blocks: 1 });
    manager = start(null);
    expect(await manager.waitForTransaction(id, WAIT_MS)).to.include({ status: "included", txHash });
    expect(await balance()).to.equal(1n);
  });

  it("a transaction for which the network asks more than the fee cap waits and says so, until the fees fall", async () => {
    await manager.close();
    const { baseFeePerGas } = await fixture.client.getBlock();
    const cap = baseFeePerGas! + 10n ** 9n;
    manager = start(cap);
    const expensive = baseFeePerGas! + 10n ** 11n;
    await fixture.client.setNextBlockBaseFeePerGas({ baseFeePerGas: expensive });
    await fixture.client.mine({ blocks: 1 });
    const { id } = await submit("expensive");
    while ((await manager.order(id, "bump")) === "bumped");
    expect(await getState(id)).to.equal("above_fee_cap");
    const row = await getRow(id);
    expect(row).to.include({ lastError: FEE_ABOVE_CAP, block: null });
    expect(row.maxFeePerGas <= cap).to.equal(true);
    expect(manager.counts().aboveFeeCap).to.equal(1);
    await fixture.client.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeePerGas! });
    await fixture.client.mine({ blocks: 1 });
    await waitFor(async () => {
      await fixture.client.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeePerGas! });
      await fixture.client.mine({ blocks: 1 });
      return (await getRow(id)).status === "included";
    });
    expect(await getState(id)).to.equal("included");
  });
});
