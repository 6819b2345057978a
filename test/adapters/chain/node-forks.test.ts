import { expect } from "chai";
import type { Hex } from "viem";
import { type Indexer, startIndexer } from "../../../backend/adapters/chain/indexer/indexer.ts";
import type { NodePool } from "../../../backend/adapters/chain/nodes/node-pool.ts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { type ChaosNode, startChaosNode } from "../../../testing/chaos/node.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { createTestPool, silentLog, useChain, waitFor } from "./chain-fixture.ts";
import { inventBlocks, raiseHead } from "./invented-chain.ts";

/** Enough polls for a fault to affect what the service reports about the chain. */
const POLLS = 10;

describe("nodes that report different blocks of one chain", () => {
  const fixture = useChain();
  let nodes: ChaosNode[];
  let pool: NodePool;
  let store: Store;
  let indexer: Indexer | null;

  beforeEach(async () => {
    await fixture.client.mine({ blocks: 10 });
    store = await openMemoryStore();
    nodes = [];
    indexer = null;
  });
  afterEach(async () => {
    await indexer?.stop();
    await store.close();
    for (const node of nodes) await node.close();
  });

  async function start(count: number): Promise<void> {
    nodes = await Promise.all(Array.from({ length: count }, () => startChaosNode({ to: fixture.rpcUrl })));
    const [rpcUrl, chainId] = [nodes[0]!.url, fixture.deployment.chainId];
    pool = createTestPool(nodes.map(({ url }) => url));
    const rpc = createRpc({ rpcUrl, nodes: pool, chainId, clock: systemClock });
    const { deployment } = fixture;
    const options = { rpc, deployment, store: store.chain, clock: systemClock, log: silentLog, confirmations: 2 };
    indexer = startIndexer({ ...options, mayWrite: () => true, pollMs: 50 });
    await waitFor(() => indexer!.status().healthy);
  }

  const getProblems = () => pool.status().map(({ problem }) => problem);
  const getHead = async (): Promise<{ readonly number: number; readonly hash: Hex }> => {
    const { number, hash } = await fixture.client.getBlock();
    return { number: Number(number), hash };
  };

  /** Checks that the service follows the growing real chain in several polls. */
  async function expectRealChain(): Promise<void> {
    for (let poll = 0; poll < POLLS; poll++) {
      if (poll % 3 === 0) await fixture.client.mine({ blocks: 1 });
      const head = await getHead();
      expect(await indexer!.waitForHead(2_000), `poll ${poll}`).to.equal(true);
      expect(await store.chain.getCursor(), `poll ${poll}`).to.deep.equal(head);
      expect(indexer!.problem).to.equal(null);
    }
  }

  for (const [count, ahead] of [
    [2, 1n],
    [2, 1_000n],
    [3, 1n],
    [3, 2n],
    [3, 3n],
    [3, 1_000n],
  ] as const)
    it(`follow the chain while one of ${count} reports its head ${ahead} blocks too high`, async () => {
      await start(count);
      nodes[0]!.intercept(raiseHead(ahead));
      await expectRealChain();
      expect(getProblems()[0]).to.match(/^reports a latest block/);
      expect(pool.rank()).to.not.include(0);
    });

  for (const ahead of [-1, 0, 1, 3])
    it(`follow two of three while one has its own blocks, ${ahead} more than the others`, async () => {
      await start(3);
      const parent = await fixture.client.getBlock();
      await fixture.client.mine({ blocks: 3 });
      nodes[0]!.intercept(inventBlocks(parent, ahead));
      await expectRealChain();
      expect(getProblems()[0]).to.match(/^has another block/);
      expect(getProblems().slice(1)).to.deep.equal([null, null]);
    });

  for (const ahead of [0, 1])
    it(`follow the first of two while the other one has its own blocks, ${ahead} more`, async () => {
      await start(2);
      const parent = await fixture.client.getBlock();
      await fixture.client.mine({ blocks: 3 });
      nodes[1]!.intercept(inventBlocks(parent, ahead));
      await expectRealChain();
      expect(getProblems()[0]).to.equal(null);
      expect(getProblems()[1]).to.match(/^has another block/);
    });

  for (const [count, wrong] of [
    [2, 0],
    [2, 1],
    [3, 0],
  ] as const)
    it(`take a finalized block that two report while node ${wrong + 1} of ${count} reports its head`, async () => {
      await start(count);
      const rpc = createRpc({ rpcUrl: nodes[0]!.url, nodes: pool, chainId: 31_337, clock: systemClock });
      const isFinalized = (method: string, params: readonly unknown[] = []): boolean =>
        method === "eth_getBlockByNumber" && params[0] === "finalized";
      for (const node of nodes.filter((_, index) => index !== wrong))
        node.intercept(({ method, params }, response) =>
          isFinalized(method, params)
            ? { id: response.id, result: { ...(response.result as object), number: "0x5" } }
            : response,
        );
      for (let poll = 0; poll < POLLS; poll++)
        expect((await rpc.client.getBlock({ blockTag: "finalized" })).number).to.equal(5n);
      for (const node of nodes.slice(1)) node.fail("cut");
      await waitFor(() => getProblems().filter((problem) => problem === null).length === 1);
      // Only one node is left, so its answers are used.
      const { number } = await rpc.client.getBlock({ blockTag: "finalized" });
      expect(number === 5n).to.equal(wrong !== 0);
    });

  it("are used again when they have the same blocks again", async () => {
    await start(3);
    const parent = await fixture.client.getBlock();
    await fixture.client.mine({ blocks: 2 });
    nodes[0]!.intercept(inventBlocks(parent, 1));
    await expectRealChain();
    nodes[0]!.intercept(null);
    await waitFor(() => getProblems().every((problem) => problem === null));
    await expectRealChain();
  });

  it("get no more requests for a head on top of the previous one", async () => {
    await start(2);
    await indexer!.stop();
    const countBefore = nodes[0]!.calls.length;
    await fixture.client.mine({ blocks: 1 });
    await pool.readHead();
    expect(nodes[0]!.calls.slice(countBefore).map(({ method }) => method)).to.deep.equal([
      "eth_chainId",
      "eth_getBlockByNumber",
      "eth_getBlockByHash",
    ]);
  });
});
