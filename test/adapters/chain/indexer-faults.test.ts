import { expect } from "chai";
import { keccak256, numberToHex } from "viem";
import type { Indexer } from "../../../backend/adapters/chain/indexer/indexer.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { type ChaosNode, type Intercept, startChaosNode } from "../../../testing/chaos/node.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { ShiftClock } from "../../http/support/shift-clock.ts";
import { registerPlayers, startTestIndexer, useChain, waitFor } from "./chain-fixture.ts";

const slug = "shellrunners";
const REJECTED = { code: -32_005, message: "query exceeds the limit of this node" };
const reject: Intercept = (_, { id }) => ({ id, error: REJECTED });

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
}

type Call = Parameters<Intercept>[0];

const getFilter = ({ params }: Call): LogFilter => (params?.[0] ?? {}) as LogFilter;
const isLogCall = ({ method }: Call): boolean => method === "eth_getLogs";
const isRange = (call: Call): boolean => isLogCall(call) && getFilter(call).fromBlock !== undefined;
const countBlocks = (call: Call): number => {
  const { fromBlock, toBlock } = getFilter(call);
  return Number(toBlock) - Number(fromBlock) + 1;
};
const isBlockCall = ({ method, params }: Call, tag: "latest" | "finalized"): boolean =>
  method === "eth_getBlockByNumber" && params?.[0] === tag;

/** Replaces only the responses to some calls. */
const interceptIf =
  (isReplaced: (call: Call) => boolean, replace: Intercept): Intercept =>
  (call, response) =>
    isReplaced(call) ? replace(call, response) : response;
const hideLogs: Intercept = (_, response) => ({ ...response, result: [] });
const nameFinal: Intercept = (_, response) => ({
  ...response,
  result: { ...(response.result as object), number: "0x5" },
});

describe("the indexer on a node with faults", () => {
  const fixture = useChain(registerPlayers);
  let node: ChaosNode;
  let store: Store;
  let indexer: Indexer | null;
  let clock: ShiftClock;
  let snapshotId: `0x${string}`;

  beforeEach(async () => {
    snapshotId = await fixture.client.snapshot();
    node = await startChaosNode({ to: fixture.rpcUrl });
    store = await openMemoryStore();
    clock = new ShiftClock();
    indexer = null;
  });
  afterEach(async () => {
    await indexer?.stop();
    await store.close();
    await node.close();
    await fixture.client.revert({ id: snapshotId });
  });

  const start = (deployment: Deployment = fixture.deployment, pollMs?: number): Indexer => {
    indexer = startTestIndexer(node.url, deployment, store, clock, pollMs);
    return indexer;
  };
  const getHead = async (): Promise<number> => Number(await fixture.client.getBlockNumber());
  const takeSnapshot = (sequence: number) => fixture.actions.snapshot(fixture.players[0]!, slug, 100, sequence);
  const countSnapshots = async (): Promise<number> =>
    (await store.chain.getScorebank(fixture.players[0]!.address)).snapshots;
  const countLogCalls = (): number => node.calls.filter(isLogCall).length;

  it("stores an event that a lagging node of the pool leaves out of a range of blocks", async () => {
    // The node that answers ranges lacks the two latest blocks; the one that answers hashes has them.
    const head = await getHead();
    const hideLatest: Intercept = (_, response) => {
      const logs = response.result as readonly { blockNumber: string }[];
      return { ...response, result: logs.filter(({ blockNumber }) => Number(blockNumber) <= head) };
    };
    node.intercept(interceptIf(isRange, hideLatest));
    start();
    for (let sequence = 1; sequence <= 3; sequence++) await takeSnapshot(sequence);
    expect(await waitFor(async () => (await countSnapshots()) === 3)).to.equal(true);
  });

  it("stores an event that a lagging node did not return, once the node has caught up", async () => {
    let isLagging = true;
    node.intercept(interceptIf((call) => isLagging && isLogCall(call), hideLogs));
    start();
    await takeSnapshot(1);
    await takeSnapshot(2);
    const head = await getHead();
    expect(await indexer!.waitForBlock(head, 10_000)).to.equal(true);
    expect(await countSnapshots()).to.equal(0);
    const { revision } = indexer!;
    isLagging = false;
    clock.advance(11_000);
    await waitFor(async () => (await countSnapshots()) === 2);
    expect(indexer!.revision).not.to.equal(revision);
    expect((await store.chain.getTotals({ block: head, sinceSeconds: 0 })).snapshots).to.equal(2);
    expect((await store.chain.getScorebank(fixture.players[0]!.address)).score).to.equal(200n);
  });

  it("stores a past event that only the second of two nodes returns", async () => {
    await takeSnapshot(1);
    await fixture.client.mine({ blocks: 200 });
    const missing = new Set<string>();
    const isFirst = (call: Call): boolean => {
      const key = JSON.stringify(call.params);
      if (!isRange(call) || missing.has(key)) return false;
      missing.add(key);
      return true;
    };
    node.intercept(interceptIf(isFirst, hideLogs));
    expect(await start().waitForBlock(await getHead(), 10_000)).to.equal(true);
    expect(await countSnapshots()).to.equal(1);
  });

  it("stores events of the last blocks that the previous process has missed", async () => {
    node.intercept(interceptIf(isLogCall, hideLogs));
    await takeSnapshot(1);
    await start().waitForBlock(await getHead(), 10_000);
    await indexer!.stop();
    node.intercept(null);
    await start().waitForBlock(await getHead(), 10_000);
    expect(await countSnapshots()).to.equal(0);
    clock.advance(11_000);
    await waitFor(async () => (await countSnapshots()) === 1);
  });

  for (const limit of [10, 50, 63]) {
    it(`reaches the head of a node that limits ranges to ${limit} blocks, and remembers the limit`, async () => {
      const isTooLong = (call: Call): boolean => isRange(call) && countBlocks(call) > limit;
      node.intercept(interceptIf(isTooLong, reject));
      await takeSnapshot(1);
      await fixture.client.mine({ blocks: 500 });
      await takeSnapshot(2);
      // Shorter ranges are requested at once, not at the next poll.
      start(fixture.deployment, 60_000);
      expect(await indexer!.waitForBlock(await getHead(), 20_000)).to.equal(true);
      expect(await countSnapshots()).to.equal(2);
      // The bisection from 2,000 blocks. No later request is rejected.
      expect(node.calls.filter(isTooLong).length).to.be.at.most(16);
      const before = countLogCalls();
      await fixture.client.mine({ blocks: 20 });
      expect(await indexer!.waitForBlock(await getHead(), 10_000)).to.equal(true);
      expect(countLogCalls() - before).to.equal(0);
    });
  }

  it("uses long ranges again after a node has failed with JSON-RPC errors for a while", async () => {
    await fixture.client.mine({ blocks: 1_000 });
    await takeSnapshot(1);
    let failures = 30;
    node.intercept(interceptIf((call) => isRange(call) && failures-- > 0, reject));
    await fixture.client.mine({ blocks: 100 });
    expect(await start().waitForBlock(await getHead(), 10_000)).to.equal(true);
    expect(await countSnapshots()).to.equal(1);
    // 30 rejected requests, and two for each accepted range.
    expect(countLogCalls()).to.be.at.most(100);
  });

  describe("on a public chain", () => {
    /** The same contracts on a chain with the chain id of Base Sepolia. */
    const startPublic = (): Indexer => {
      const chainId = 84_532;
      node.intercept((call, response) =>
        call.method === "eth_chainId" ? { ...response, result: "0x14a34" } : tags(call, response),
      );
      return start({ ...fixture.deployment, chainId });
    };
    let tags: Intercept;
    const isFinalCall = (call: Call): boolean => isBlockCall(call, "finalized");

    /** After three blocks, the poll after the one that sees them reads the tag, and agrees on the final block. */
    async function mineUntilAgreed(): Promise<void> {
      await fixture.client.mine({ blocks: 3 });
      for (let poll = 0; poll < 2; poll++) expect(await indexer!.waitForHead(5_000)).to.equal(true);
    }

    for (const [name, error] of [
      ["rejects the tag", { code: -32_602, message: "invalid block tag" }],
      ["knows no finalized block", null],
    ] as const) {
      it(`counts blocks for finality when the node ${name}`, async () => {
        tags = interceptIf(isFinalCall, (_, { id }) => (error === null ? { id, result: null } : { id, error }));
        await fixture.client.mine({ blocks: 100 });
        const head = await getHead();
        expect(await startPublic().waitForBlock(head, 10_000)).to.equal(true);
        expect(indexer!.finality).to.deep.equal({ safe: head - 2, final: -1 });
        await mineUntilAgreed();
        expect(indexer!.finality).to.deep.equal({ safe: head + 1, final: head - 64 });
        expect(indexer!.status().healthy).to.equal(true);
      });
    }

    it("keeps its blocks while the node is behind, even if it has stored only some of them", async () => {
      await takeSnapshot(1);
      await fixture.client.mine({ blocks: 300 });
      const head = await getHead();
      const blockBehind = await fixture.client.getBlock({ blockNumber: BigInt(head - 200) });
      let isBehind = false;
      const { number, hash } = blockBehind;
      tags = interceptIf(
        (call) => isBehind && isBlockCall(call, "latest"),
        (_, { id, result }) => ({ id, result: { ...(result as object), number: numberToHex(number), hash } }),
      );
      expect(await startPublic().waitForBlock(head, 10_000)).to.equal(true);
      expect(await store.chain.findBlock(head - 200)).to.equal(null);
      isBehind = true;
      // The head that the node now reports.
      await waitFor(() => indexer!.head?.number === head - 200);
      for (let poll = 0; poll < 3; poll++) await indexer!.waitForHead(1_000);
      expect((await store.chain.getCursor())?.number).to.equal(head);
      expect(await countSnapshots()).to.equal(1);
    });

    it("keeps the blocks of another chain, unless a reorganization may have dropped all of them", async () => {
      await fixture.client.mine({ blocks: 100 });
      const head = await getHead();
      tags = (_, response) => response;
      const { startBlock } = fixture.deployment;
      const foreign = (number: number) => ({ number, hash: keccak256(numberToHex(number)) });
      await store.chain.append([foreign(startBlock), foreign(startBlock + 64), foreign(startBlock + 65)], [], null);
      startPublic();
      await waitFor(() => indexer!.problem?.includes("another chain") ?? false);
      expect(await store.chain.getCursor()).to.deep.equal(foreign(startBlock + 65));
      await store.chain.rewind(startBlock + 64);
      expect(await indexer!.waitForBlock(head, 10_000)).to.equal(true);
    });

    it("requests the finalized block again when the node was rate-limited, and does not count blocks", async () => {
      const error = { code: 429, message: "Your app has exceeded its compute units per second capacity." };
      let isLimited = true;
      tags = interceptIf(isFinalCall, (call, response) => {
        if (!isLimited) return nameFinal(call, response);
        isLimited = false;
        return { id: response.id, error };
      });
      await fixture.client.mine({ blocks: 100 });
      const head = await getHead();
      expect(await startPublic().waitForBlock(head, 10_000)).to.equal(true);
      await mineUntilAgreed();
      expect(indexer!.finality).to.deep.equal({ safe: head + 1, final: 5 });
    });

    it("uses the finalized block when the node has the tag", async () => {
      tags = interceptIf(isFinalCall, nameFinal);
      const head = await getHead();
      expect(await startPublic().waitForBlock(head, 10_000)).to.equal(true);
      await mineUntilAgreed();
      expect(indexer!.finality).to.deep.equal({ safe: head + 1, final: 5 });
    });
  });
});
