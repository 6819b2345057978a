/** A chain, a node that can fail, and transaction managers of one operator, new for each test. */
import { privateKeyToAccount } from "viem/accounts";
import {
  startTransactionManager,
  type TransactionManager,
} from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { TransactionRow } from "../../../backend/ports/store/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { type ChaosNode, startChaosNode } from "../../../testing/chaos/node.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { type ChainFixture, createTestRpc, silentLog, startChainFixture, testKeys } from "./chain-fixture.ts";

type Options = Parameters<typeof startTransactionManager>[0];

export const operator = privateKeyToAccount(testKeys.operator);
export const recipient = "0x00000000000000000000000000000000000A11cE";
export const WAIT_MS = 10_000;

/** Shared by the tests of a suite. The chain lasts for the suite; node, store and chain state last for one test. */
class ManagerFixture {
  chain!: ChainFixture;
  node!: ChaosNode;
  store!: Store;
  snapshotId!: `0x${string}`;
  #running: TransactionManager[] = [];

  async open(): Promise<void> {
    this.snapshotId = await this.chain.client.snapshot();
    this.node = await startChaosNode({ to: this.chain.rpcUrl });
    this.store = await openMemoryStore();
  }

  async close(): Promise<void> {
    for (const manager of this.#running.splice(0)) await manager.close();
    await this.node.close();
    await this.store.close();
    await this.chain.client.setAutomine(true);
    await this.chain.client.revert({ id: this.snapshotId });
  }

  start = (more: Partial<Options> = {}): TransactionManager => this.startOn(this.node.url, more);

  /** A manager on another node of the same chain. */
  startOn(rpcUrl: string, more: Partial<Options> = {}): TransactionManager {
    const manager = startTransactionManager({
      rpc: createTestRpc(rpcUrl),
      largeBatchRpc: createTestRpc(rpcUrl),
      store: this.store.transactions,
      clock: systemClock,
      log: silentLog,
      privateKey: testKeys.operator,
      readFinalBlock: async () => -1,
      pollMs: 20,
      stuckMs: 60_000,
      feeCap: null,
      ...more,
    });
    this.#running.push(manager);
    return manager;
  }

  async stop(manager: TransactionManager): Promise<void> {
    this.#running = this.#running.filter((other) => other !== manager);
    await manager.close();
  }

  /** Leaves an unused nonce below that of the next transaction. Returns it. */
  async leaveGap(): Promise<number> {
    const nonce = await this.nonceOnChain();
    const writer = this.start();
    const { id } = await writer.submit(this.transfer("gone"));
    await writer.waitForTransaction(id, WAIT_MS);
    await this.stop(writer);
    await this.store.transactions.update(id, { status: "included", settledAtMs: 0 });
    // The chain drops the transaction; the transaction manager has it as confirmed.
    await this.chain.client.revert({ id: this.snapshotId });
    this.snapshotId = await this.chain.client.snapshot();
    return nonce;
  }

  transfer(key: string, value = 1n) {
    return { kind: "test", key, to: recipient, data: "0x", value } as const;
  }

  /** A payout that the contract accepts, for player `index`. */
  async preparePayout(index: number) {
    const player = this.chain.players[index]!;
    await this.chain.actions.snapshot(player, "flappybots", 10, 1);
    await this.chain.client.increaseTime({ seconds: 10 });
    const { to, data } = createCall(31337, this.chain.deployment.rewards, "payout", [player.address]);
    return { kind: "payout", key: `payout-${index}`, to, data };
  }

  balance = (): Promise<bigint> => this.chain.client.getBalance({ address: recipient });
  nonceOnChain = (): Promise<number> => this.chain.client.getTransactionCount({ address: operator.address });
  /** The stored transaction of a call. */
  findRow = async (kind: string, key: string): Promise<TransactionRow | null> =>
    (await this.store.transactions.findByKeys([{ kind, key }]))[0] ?? null;
  getRow = async (key: string): Promise<TransactionRow> => (await this.findRow("test", key))!;
}

/** Starts the chain before the tests of the suite, and a node and a store before each of them. */
export function useTransactionManager(): ManagerFixture {
  const fixture = new ManagerFixture();
  before(async () => {
    fixture.chain = await startChainFixture();
  });
  beforeEach(() => fixture.open());
  afterEach(() => fixture.close());
  after(() => fixture.chain.close());
  return fixture;
}
