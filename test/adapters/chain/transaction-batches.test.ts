import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { createOperatorAccount } from "../../../backend/adapters/chain/transaction-manager/account.ts";
import { LARGE_BATCH_SIZE } from "../../../backend/adapters/chain/transaction-manager/batch-size.ts";
import {
  startTransactionManager,
  type TransactionManager,
} from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { type ChaosNode, startChaosNode } from "../../../testing/chaos/node.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { startAnvil } from "../../deploy/testnet.ts";
import { useShared } from "../../helpers/fixture.ts";
import { isSend, refuseSends, SENDS, silentLog, startChainFixture, testKeys, waitFor } from "./chain-fixture.ts";

const operator = privateKeyToAccount(testKeys.operator);
const recipient = "0x00000000000000000000000000000000000B0b00";
const WAIT_MS = 20_000;
const COUNT = 60;

const connect = (rpcUrl: string, chainId: number) => ({
  rpc: createRpc({ rpcUrl, chainId, clock: systemClock }),
  largeBatchRpc: createRpc({ rpcUrl, chainId, clock: systemClock, batchSize: LARGE_BATCH_SIZE }),
});

describe("many transactions of the operator", () => {
  let node: ChaosNode;
  let store: Store;
  let writer: TransactionManager;
  let snapshotId: `0x${string}`;

  const fixture = useShared(startChainFixture);
  beforeEach(async () => {
    snapshotId = await fixture.client.snapshot();
    node = await startChaosNode({ to: fixture.rpcUrl });
    store = await openMemoryStore();
    writer = start();
  });
  afterEach(async () => {
    await writer.close();
    await node.close();
    await store.close();
    await fixture.client.setAutomine(true);
    await fixture.client.revert({ id: snapshotId });
  });

  const start = (pollMs = 60_000) =>
    startTransactionManager({
      ...connect(node.url, 31_337),
      store: store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey: testKeys.operator,
      readFinalBlock: async () => -1,
      pollMs,
      stuckMs: 60_000,
      feeCap: null,
    });
  const restart = async (pollMs: number) => {
    await writer.close();
    writer = start(pollMs);
  };
  const transfer = (key: string) => ({ kind: "test", key, to: recipient, data: "0x", value: 1n }) as const;
  const submitMany = (count = COUNT) =>
    Promise.all(Array.from({ length: count }, (_, index) => writer.submit(transfer(`many-${index}`))));
  const countCalls = (method: string) => node.calls.filter((call) => call.method === method).length;
  const balance = () => fixture.client.getBalance({ address: recipient });
  const getRows = () => store.transactions.listUnsettled(operator.address);

  it("are stored before they are sent, and share few requests", async () => {
    await fixture.client.setAutomine(false);
    let sends = 0;
    let unstored = 0;
    node.before(async (calls) => {
      if (!calls.some(isSend)) return;
      sends += 1;
      const stored = new Set((await getRows()).map(({ raw }) => raw));
      const sent = node.calls.filter(({ method }) => method === "eth_sendRawTransaction");
      unstored += sent.filter(({ params }) => !stored.has(params![0] as `0x${string}`)).length;
    });
    const submitted = await submitMany();
    // Batches grow from 20 calls.
    expect(sends).to.be.at.most(3);
    expect(unstored).to.equal(0);
    expect(new Set(submitted.map(({ status }) => status))).to.deep.equal(new Set(["sent"]));
    const nonces = (await getRows()).map(({ nonce }) => nonce);
    expect(nonces).to.deep.equal(Array.from({ length: COUNT }, (_, index) => nonces[0]! + index));
    // One estimate for all calls of a function, and one simulation for each further call.
    expect(countCalls("eth_estimateGas")).to.equal(1);
    expect(countCalls("eth_call")).to.equal(COUNT - 1);
  });

  it("are sent in two requests at a time, so that no request waits for the previous one's latency", async () => {
    await fixture.client.setAutomine(false);
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let underWay = 0;
    let mostUnderWay = 0;
    node.before(async (calls) => {
      if (!calls.some(isSend)) return;
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      await isAnswered;
      underWay -= 1;
    });
    const submitted = submitMany();
    await waitFor(() => underWay === 2);
    // All batches are stored, and the third one is not sent: it would have arrived before a later request's answer.
    await waitFor(async () => (await getRows()).length === COUNT);
    for (let asked = 0; asked < 3; asked++) await connect(node.url, 31_337).rpc.client.getBlockNumber();
    answer();
    expect(new Set((await submitted).map(({ status }) => status))).to.deep.equal(new Set(["sent"]));
    expect(mostUnderWay).to.equal(2);
    await fixture.client.mine({ blocks: 2 });
    await waitFor(async () => (await balance()) === BigInt(COUNT));
  });

  // Like the embedded chain.
  it("are found one by one at a node that cannot list a block's receipts", async () => {
    await submitMany();
    await writer.poll();
    await writer.poll();
    expect(new Set((await getRows()).map(({ status }) => status))).to.deep.equal(new Set(["included"]));
  });

  it("are found one by one when the receipts of their blocks exceed one response", async () => {
    await submitMany(21);
    await writer.poll();
    // After a start, all blocks with a watched transaction are read.
    await restart(60_000);
    node.intercept(({ method }, response) =>
      method === "eth_getBlockReceipts" ? { id: response.id, result: ["x".repeat(2 ** 20)] } : response,
    );
    await writer.poll();
    const { id } = await writer.submit(transfer("later"));
    await writer.poll();
    await writer.poll();
    expect((await writer.find(id))?.status).to.equal("included");
  });

  it("leave no gap when the node accepts none of a batch, then rejects another", async () => {
    await restart(30);
    node.fail("cut", SENDS);
    const dropped = await submitMany(30);
    expect(new Set(dropped.map(({ status }) => status))).to.deep.equal(new Set(["queued"]));
    node.fail(null);
    // Wait until the node gets requests again: after several failures in a row it gets none for a moment.
    await writer.waitForTransaction(dropped[0]!.id, WAIT_MS);
    node.fail("error", refuseSends("txpool is full"));
    const refused = await Promise.all(
      Array.from({ length: 30 }, (_, index) => writer.submit(transfer(`refused-${index}`))),
    );
    node.fail(null);
    for (const { id } of [...dropped, ...refused])
      expect((await writer.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
    expect(await balance()).to.equal(60n);
    const nonces = (await getRows()).map(({ nonce }) => nonce);
    expect(nonces.at(-1)! - nonces[0]!).to.equal(59);
  });

  it("are sent in smaller batches to a node that rejects large ones", async () => {
    await restart(30);
    // The node has accepted larger ones.
    await submitMany();
    await submitMany(2 * COUNT);
    node.fail("one error", { batchesAbove: 25 });
    const more = await Promise.all(
      Array.from({ length: COUNT }, (_, index) => writer.submit(transfer(`more-${index}`))),
    );
    for (const { id } of more) expect((await writer.waitForTransaction(id, WAIT_MS)).status).to.equal("included");
    expect(node.faults.length).to.be.greaterThan(0);
    expect(await balance()).to.equal(BigInt(3 * COUNT));
  });

  it("are all sent again after the node has lost its mempool", async () => {
    await fixture.client.setAutomine(false);
    await submitMany();
    await writer.poll();
    for (const { txHash } of await getRows()) await fixture.client.dropTransaction({ hash: txHash });
    await writer.poll();
    await fixture.client.mine({ blocks: 1 });
    expect(await waitFor(async () => (await balance()) === BigInt(COUNT))).to.equal(true);
  });

  it("take no nonce for a call that the contract would revert", async () => {
    const { to, data } = createCall(31337, fixture.deployment.rewards, "payout", [recipient]);
    const [first, bad, last] = await Promise.allSettled([
      writer.submit(transfer("first")),
      writer.submit({ kind: "payout", key: "bad", to, data }),
      writer.submit(transfer("last")),
    ]);
    expect([first.status, last.status]).to.deep.equal(["fulfilled", "fulfilled"]);
    expect((bad as PromiseRejectedResult).reason).to.include({ code: "TX_FAILED" });
    const rows = await getRows();
    expect(rows.map(({ key }) => key)).to.deep.equal(["first", "last"]);
    expect(rows[1]!.nonce - rows[0]!.nonce).to.equal(1);
  });

  it("have the bytes that viem's account signs", async () => {
    const account = createOperatorAccount(testKeys.operator);
    expect(account.address).to.equal(operator.address);
    for (let nonce = 0; nonce < 40; nonce++) {
      const transaction = {
        ...({
          to: recipient,
          data: nonce % 2 === 0 ? "0x" : "0x1234",
          value: BigInt(nonce),
          gas: 21_000n,
          nonce,
        } as const),
        ...({
          chainId: 31_337,
          maxFeePerGas: 10n ** 9n + BigInt(nonce),
          maxPriorityFeePerGas: 1n,
          type: "eip1559",
        } as const),
      };
      expect(await account.signTransaction(transaction)).to.equal(await operator.signTransaction(transaction));
    }
  });
});

describe("many transactions of the operator at a node that lists a block's receipts", () => {
  it("are found by the receipts of their blocks, not one by one", async () => {
    const anvil = await startAnvil({ createX: false });
    const node = await startChaosNode({ to: anvil.rpcUrl });
    const store = await openMemoryStore();
    await anvil.client.setBalance({ address: operator.address, value: 10n ** 20n });
    await anvil.client.setAutomine(false);
    const writer = startTransactionManager({
      ...connect(node.url, anvil.chainId),
      store: store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey: testKeys.operator,
      readFinalBlock: async () => -1,
      pollMs: 60_000,
      stuckMs: 60_000,
      feeCap: null,
    });
    const countCalls = (method: string) => node.calls.filter((call) => call.method === method).length;
    try {
      const submit = (index: number) =>
        writer.submit({ kind: "test", key: String(index), to: recipient, data: "0x", value: 1n });
      const submitted = await Promise.all(Array.from({ length: COUNT }, (_, index) => submit(index)));
      await writer.poll();
      await anvil.client.mine({ blocks: 2 });
      const before = countCalls("eth_getTransactionReceipt");
      await writer.poll();
      expect(countCalls("eth_getBlockReceipts")).to.equal(2);
      expect(countCalls("eth_getTransactionReceipt")).to.equal(before);
      const found = await Promise.all(submitted.map(({ id }) => writer.find(id)));
      expect(new Set(found.map((transaction) => transaction?.status))).to.deep.equal(new Set(["included"]));
    } finally {
      await writer.close();
      await node.close();
      await store.close();
      await anvil.close();
    }
  });
});
