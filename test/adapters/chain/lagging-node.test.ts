import { expect } from "chai";
import { TransactionManager } from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { systemClock } from "../../../backend/adapters/clock.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { startAnvil } from "../../deploy/testnet.ts";
import { createTestRpc, openMemoryStore, silentLog, testKeys } from "./chain-fixture.ts";
import { startFaultyNode } from "./faulty-node.ts";
import { operator, recipient } from "./manager-fixture.ts";

const LOOKUPS = new Set(["eth_getTransactionReceipt", "eth_getTransactionByHash"]);
/** More than it takes until a nonce counts as another transaction's. */
const POLLS = 5;

describe("operator transactions behind a node that lags", function () {
  this.timeout(20_000);
  let anvil: Awaited<ReturnType<typeof startAnvil>>;
  let node: Awaited<ReturnType<typeof startFaultyNode>>;
  let store: Store;
  let manager: TransactionManager;

  before(async () => {
    anvil = await startAnvil({ createX: false });
    await anvil.client.setBalance({ address: operator.address, value: 10n ** 20n });
  });
  after(() => anvil.close());
  beforeEach(async () => {
    await anvil.client.setBalance({ address: recipient, value: 0n });
    node = await startFaultyNode(anvil.rpcUrl);
    store = await openMemoryStore();
    const rpc = createTestRpc(node.url, anvil.chainId);
    // It polls when it is told to.
    manager = new TransactionManager({
      rpc,
      largeBatchRpc: rpc,
      store: store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey: testKeys.operator,
      readFinalBlock: async () => -1,
      pollMs: 60_000,
      stuckMs: 60_000,
    });
  });
  afterEach(async () => {
    await manager.close();
    await store.close();
    node.close();
  });

  const submit = (key: string) => manager.submit({ kind: "test", key, to: recipient, data: "0x", value: 1n });
  const balance = () => anvil.client.getBalance({ address: recipient });
  const poll = async (): Promise<void> => {
    for (let polls = 0; polls < POLLS; polls++) await manager.poll();
  };

  it("are not sent again while it does not know them", async () => {
    node.intercept(({ method }, response) => (LOOKUPS.has(method) ? { id: response.id, result: null } : response));
    const { id } = await submit("hidden");
    await poll();
    expect(await balance()).to.equal(1n);
    node.intercept(null);
    await manager.poll();
    expect((await manager.find(id))?.status).to.equal("included");
  });

  it("get another nonce when their own was used by hand and some blocks have followed", async () => {
    node.dropSends(true);
    const { id } = await submit("replaced");
    await anvil.client.sendTransaction({ account: operator, chain: null, to: recipient, value: 5n });
    node.dropSends(false);
    await poll();
    expect(await balance()).to.equal(5n);
    await anvil.client.mine({ blocks: 3 });
    await poll();
    expect(await balance()).to.equal(6n);
    await poll();
    expect((await manager.find(id))?.status).to.equal("included");
  });
});
