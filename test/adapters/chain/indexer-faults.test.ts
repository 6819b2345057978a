import { expect } from "chai";
import { keccak256, numberToHex } from "viem";
import type { Indexer } from "../../../backend/adapters/chain/indexer/indexer.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { ShiftClock } from "../../http/support/shift-clock.ts";
import { type ChainFixture, openMemoryStore, startChainFixture, startTestIndexer, waitFor } from "./chain-fixture.ts";
import { type Intercept, startFaultyNode } from "./faulty-node.ts";

type Node = Awaited<ReturnType<typeof startFaultyNode>>;

const slug = "shellrunners";
const REJECTED = { code: -32_005, message: "query exceeds the limit of this node" };

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
}

const getFilter = (params: readonly unknown[] | undefined): LogFilter => (params?.[0] ?? {}) as LogFilter;
const isRange = (params: readonly unknown[] | undefined): boolean => getFilter(params).fromBlock !== undefined;
const countBlocks = (params: readonly unknown[] | undefined): number => {
  const { fromBlock, toBlock } = getFilter(params);
  return Number(toBlock) - Number(fromBlock) + 1;
};

describe("the indexer on a node with faults", function () {
  this.timeout(30_000);
  let fixture: ChainFixture;
  let node: Node;
  let store: Store;
  let indexer: Indexer | null;
  let clock: ShiftClock;
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
    clock = new ShiftClock();
    indexer = null;
  });
  afterEach(async () => {
    await indexer?.stop();
    await store.close();
    node.close();
    await fixture.client.revert({ id: snapshotId });
  });

  const start = (deployment: Deployment = fixture.deployment): Indexer => {
    indexer = startTestIndexer(node.url, deployment, store, clock);
    return indexer;
  };
  const getHead = async (): Promise<number> => Number(await fixture.client.getBlockNumber());
  const takeSnapshot = (sequence: number) => fixture.actions.snapshot(fixture.players[0]!, slug, 100, sequence);
  const countSnapshots = async (): Promise<number> =>
    (await store.chain.getScorebank(fixture.players[0]!.address)).snapshots;
  const countLogCalls = (): number => node.calls().filter(({ method }) => method === "eth_getLogs").length;

  it("stores an event that a lagging node of the pool leaves out of a range of blocks", async () => {
    // The node that answers ranges does not know the two latest blocks; the one that is asked by hash does.
    const head = await getHead();
    node.intercept(({ method, params }, response) => {
      if (method !== "eth_getLogs" || !isRange(params)) return response;
      const logs = response.result as readonly { blockNumber: string }[];
      return { ...response, result: logs.filter(({ blockNumber }) => Number(blockNumber) <= head) };
    });
    start();
    for (let sequence = 1; sequence <= 3; sequence++) await takeSnapshot(sequence);
    await waitFor(async () => (await countSnapshots()) === 3);
  });

  it("stores an event that a lagging node did not show at all, when the node has caught up", async () => {
    let isLagging = true;
    node.intercept(({ method }, response) =>
      method === "eth_getLogs" && isLagging ? { ...response, result: [] } : response,
    );
    start();
    await takeSnapshot(1);
    await takeSnapshot(2);
    const head = await getHead();
    expect(await indexer!.waitForBlock(head, 10_000)).to.equal(true);
    expect(await countSnapshots()).to.equal(0);
    isLagging = false;
    clock.advance(11_000);
    await waitFor(async () => (await countSnapshots()) === 2);
    expect((await store.chain.getTotals({ block: head, sinceSeconds: 0 })).snapshots).to.equal(2);
    expect((await store.chain.getScorebank(fixture.players[0]!.address)).score).to.equal(200n);
  });

  it("stores an event of the past that only the second of two nodes shows", async () => {
    await takeSnapshot(1);
    await fixture.client.mine({ blocks: 200 });
    const missing = new Set<string>();
    node.intercept(({ method, params }, response) => {
      if (method !== "eth_getLogs" || !isRange(params)) return response;
      const key = JSON.stringify(params);
      if (missing.has(key)) return response;
      missing.add(key);
      return { ...response, result: [] };
    });
    expect(await start().waitForBlock(await getHead(), 10_000)).to.equal(true);
    expect(await countSnapshots()).to.equal(1);
  });

  it("stores what the process before it has missed in the last blocks", async () => {
    const hideLogs: Intercept = ({ method }, response) =>
      method === "eth_getLogs" ? { ...response, result: [] } : response;
    node.intercept(hideLogs);
    await takeSnapshot(1);
    await start().waitForBlock(await getHead(), 10_000);
    await indexer!.stop();
    node.intercept(null);
    await start().waitForBlock(await getHead(), 10_000);
    expect(await countSnapshots()).to.equal(0);
    clock.advance(11_000);
    await waitFor(async () => (await countSnapshots()) === 1);
  });

  it("reads everything again from a stored block on that the chain does not have", async () => {
    await takeSnapshot(1);
    const number = await getHead();
    await fixture.client.mine({ blocks: 200 });
    const { hash } = await fixture.client.getBlock();
    // As an earlier version left it that did not see the reorganization.
    const blocks = [
      { number, hash: keccak256("0x00") },
      { number: await getHead(), hash: hash! },
    ];
    await store.chain.append(blocks, []);
    await start().waitForBlock(await getHead(), 10_000);
    expect(await countSnapshots()).to.equal(0);
    clock.advance(11_000);
    await waitFor(async () => (await countSnapshots()) === 1);
    expect(await store.chain.findBlock(number)).to.not.deep.equal(blocks[0]);
  });

  for (const limit of [10, 50, 63]) {
    it(`reaches the head of a node that limits ranges to ${limit} blocks, and remembers the limit`, async () => {
      node.intercept(({ method, params }, response) => {
        if (method !== "eth_getLogs" || !isRange(params)) return response;
        return countBlocks(params) <= limit ? response : { id: response.id, error: REJECTED };
      });
      await takeSnapshot(1);
      await fixture.client.mine({ blocks: 500 });
      await takeSnapshot(2);
      start();
      expect(await indexer!.waitForBlock(await getHead(), 20_000)).to.equal(true);
      expect(await countSnapshots()).to.equal(2);
      const lengths = node
        .calls()
        .filter(({ method, params }) => method === "eth_getLogs" && isRange(params))
        .map(({ params }) => countBlocks(params));
      // The bisection from 2,000 blocks; no request after it is refused.
      expect(lengths.filter((length) => length > limit).length).to.be.at.most(16);
      const before = countLogCalls();
      await fixture.client.mine({ blocks: 20 });
      expect(await indexer!.waitForBlock(await getHead(), 10_000)).to.equal(true);
      expect(countLogCalls() - before).to.equal(0);
    });
  }

  it("takes long ranges again after a node has failed with JSON-RPC errors for a while", async () => {
    await fixture.client.mine({ blocks: 1_000 });
    await takeSnapshot(1);
    let failures = 30;
    node.intercept(({ method, params }, response) => {
      if (method !== "eth_getLogs" || !isRange(params) || failures === 0) return response;
      failures -= 1;
      return { id: response.id, error: REJECTED };
    });
    await fixture.client.mine({ blocks: 100 });
    expect(await start().waitForBlock(await getHead(), 10_000)).to.equal(true);
    expect(await countSnapshots()).to.equal(1);
    // 30 refused ones, and two for each accepted range.
    expect(countLogCalls()).to.be.at.most(100);
  });

  describe("on a public chain", () => {
    /** The same contracts on a chain that calls itself Base Sepolia. */
    const startPublic = (): Indexer => {
      const chainId = 84_532;
      const rename: Intercept = ({ method }, response) =>
        method === "eth_chainId" ? { ...response, result: "0x14a34" } : response;
      node.intercept((request, response) => tags(request, rename(request, response)));
      return start({ ...fixture.deployment, chainId });
    };
    let tags: Intercept;

    /** Three blocks, after which the polls agree on the final one. */
    async function mineUntilAgreed(): Promise<void> {
      await fixture.client.mine({ blocks: 3 });
      expect(await indexer!.waitForHead(5_000)).to.equal(true);
    }

    for (const [name, error] of [
      ["rejects the tag", { code: -32_602, message: "invalid block tag" }],
      ["knows no finalized block", null],
    ] as const) {
      it(`counts blocks for finality where the node ${name}`, async () => {
        tags = ({ method, params }, response) => {
          if (method !== "eth_getBlockByNumber" || params?.[0] !== "finalized") return response;
          return error === null ? { ...response, result: null } : { id: response.id, error };
        };
        await fixture.client.mine({ blocks: 100 });
        const head = await getHead();
        expect(await startPublic().waitForBlock(head, 10_000)).to.equal(true);
        expect(indexer!.finality).to.deep.equal({ safe: head - 2, final: -1 });
        await mineUntilAgreed();
        expect(indexer!.finality).to.deep.equal({ safe: head + 1, final: head - 64 });
        expect(indexer!.status().healthy).to.equal(true);
      });
    }

    it("keeps its blocks while the node is behind, also where it has stored only some of them", async () => {
      await takeSnapshot(1);
      await fixture.client.mine({ blocks: 300 });
      const head = await getHead();
      const blockBehind = await fixture.client.getBlock({ blockNumber: BigInt(head - 200) });
      let isBehind = false;
      tags = ({ method, params }, response) => {
        if (!isBehind || method !== "eth_getBlockByNumber" || params?.[0] !== "latest") return response;
        const { number, hash } = blockBehind;
        return { ...response, result: { ...(response.result as object), number: numberToHex(number), hash } };
      };
      expect(await startPublic().waitForBlock(head, 10_000)).to.equal(true);
      expect(await store.chain.findBlock(head - 200)).to.equal(null);
      isBehind = true;
      // The head that the node names now.
      await waitFor(() => indexer!.head?.number === head - 200);
      for (let poll = 0; poll < 3; poll++) await indexer!.waitForHead(1_000);
      expect((await store.chain.getCursor())?.number).to.equal(head);
      expect(await countSnapshots()).to.equal(1);
    });

    it("asks again for the finalized block where the node was asked too often, and does not count blocks", async () => {
      const error = { code: 429, message: "Your app has exceeded its compute units per second capacity." };
      let isLimited = true;
      tags = ({ method, params }, response) => {
        if (method !== "eth_getBlockByNumber" || params?.[0] !== "finalized") return response;
        if (!isLimited) return { ...response, result: { ...(response.result as object), number: "0x5" } };
        isLimited = false;
        return { id: response.id, error };
      };
      await fixture.client.mine({ blocks: 100 });
      const head = await getHead();
      expect(await startPublic().waitForBlock(head, 10_000)).to.equal(true);
      await mineUntilAgreed();
      expect(indexer!.finality).to.deep.equal({ safe: head + 1, final: 5 });
    });

    it("takes the finalized block where the node has the tag", async () => {
      tags = ({ method, params }, response) =>
        method === "eth_getBlockByNumber" && params?.[0] === "finalized"
          ? { ...response, result: { ...(response.result as object), number: "0x5" } }
          : response;
      const head = await getHead();
      expect(await startPublic().waitForBlock(head, 10_000)).to.equal(true);
      await mineUntilAgreed();
      expect(indexer!.finality).to.deep.equal({ safe: head + 1, final: 5 });
    });
  });
});
