import { expect } from "chai";
import { concat, type Hex, toFunctionSelector } from "viem";
import { TransactionManager } from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { type ChaosNode, startChaosNode } from "../../../testing/chaos/node.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { startAnvil } from "../../deploy/testnet.ts";
import { createTestRpc, SENDS, silentLog, testKeys, waitFor } from "./chain-fixture.ts";
import { operator, recipient } from "./manager-fixture.ts";

/** A contract that rejects one caller like the rewards contract. */
const createGuard = (rejected: Hex): Hex =>
  concat([
    "0x3373",
    rejected,
    "0x14601b57005b63",
    toFunctionSelector("NotWalletOrOperator(address)"),
    "0x60e01b6000523360045260246000fd",
  ]);
const GUARD = "0x000000000000000000000000000000000000c0de";

const LOOKUPS = new Set(["eth_getTransactionReceipt", "eth_getTransactionByHash"]);
/** More polls than it takes until a nonce counts as used by another transaction. */
const POLLS = 5;

describe("operator transactions behind a node that lags", () => {
  let anvil: Awaited<ReturnType<typeof startAnvil>>;
  let node: ChaosNode;
  let store: Store;
  let manager: TransactionManager;

  /** It polls only on demand. */
  function createManager(privateKey: Hex): TransactionManager {
    const rpc = createTestRpc(node.url, anvil.chainId);
    return new TransactionManager({
      rpc,
      largeBatchRpc: rpc,
      store: store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey,
      readFinalBlock: async () => -1,
      pollMs: 60_000,
      stuckMs: 60_000,
      feeCap: null,
    });
  }

  before(async () => {
    anvil = await startAnvil({ createX: false });
    await anvil.client.setBalance({ address: operator.address, value: 10n ** 20n });
  });
  after(() => anvil.close());
  beforeEach(async () => {
    await anvil.client.setBalance({ address: recipient, value: 0n });
    node = await startChaosNode({ to: anvil.rpcUrl });
    store = await openMemoryStore();
    manager = createManager(testKeys.operator);
  });
  afterEach(async () => {
    await manager.close();
    await store.close();
    await node.close();
  });

  const submit = (key: string) => manager.submit({ kind: "test", key, to: recipient, data: "0x", value: 1n });
  const balance = () => anvil.client.getBalance({ address: recipient });
  /** anvil answers a send before it mines. */
  const waitForBalance = (wei: bigint) => waitFor(async () => (await balance()) === wei);
  const poll = async (): Promise<void> => {
    for (let polls = 0; polls < POLLS; polls++) await manager.poll();
  };

  it("are not resent while it does not know them", async () => {
    node.intercept(({ method }, response) => (LOOKUPS.has(method) ? { id: response.id, result: null } : response));
    const { id } = await submit("hidden");
    await waitForBalance(1n);
    await poll();
    expect(await balance()).to.equal(1n);
    node.intercept(null);
    await manager.poll();
    expect((await manager.find(id))?.status).to.equal("included");
  });

  it("are found by their nonce when it knows no transaction by its hash", async () => {
    node.intercept(({ method }, response) => (LOOKUPS.has(method) ? { id: response.id, result: null } : response));
    const { id } = await submit("without an index");
    await waitForBalance(1n);
    await anvil.client.mine({ blocks: 5 });
    await poll();
    expect(await balance()).to.equal(1n);
    expect((await manager.find(id))?.status).to.equal("included");
  });

  it("get another nonce when theirs was used by hand and some blocks have followed", async () => {
    node.fail("cut", SENDS);
    const { id } = await submit("replaced");
    const byHand = { account: operator, chain: null, to: recipient, value: 5n } as const;
    const hash = await anvil.client.sendTransaction(byHand);
    await anvil.client.waitForTransactionReceipt({ hash });
    node.fail(null);
    await poll();
    expect(await balance()).to.equal(5n);
    await anvil.client.mine({ blocks: 3 });
    await poll();
    await waitForBalance(6n);
    await poll();
    expect(await balance()).to.equal(6n);
    expect((await manager.find(id))?.status).to.equal("included");
  });

  it("of a former operator are signed by the current one some blocks after its role was removed", async () => {
    node.fail("cut", SENDS);
    const { id } = await manager.submit({ kind: "test", key: "role", to: GUARD, data: "0x" });
    await manager.close();
    // Nodes may serve a state that is some blocks old.
    await anvil.client.setCode({ address: GUARD, bytecode: createGuard(operator.address) });
    manager = createManager(testKeys.guardian);
    await anvil.client.setBalance({ address: manager.operator, value: 10n ** 20n });
    await poll();
    expect((await store.transactions.find(id))?.from).to.equal(operator.address);
    await anvil.client.mine({ blocks: 4 });
    node.fail(null);
    await waitFor(async () => {
      await poll();
      return (await store.transactions.find(id))?.status === "included";
    });
    expect(await store.transactions.find(id)).to.include({ from: manager.operator, status: "included" });
  });
});
