import { expect } from "chai";
import { numberToHex } from "viem";
import type { NodePool } from "../../../backend/adapters/chain/nodes/node-pool.ts";
import { startServer } from "../../helpers/http-server.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { createTestPool, waitFor } from "./chain-fixture.ts";

/** How long a round waits for one node after another has answered. */
const GRACE_MS = 300;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The hash of a block is its number. */
const toBlock = (number: number): object => {
  const [hash, parentHash] = [numberToHex(number), numberToHex(Math.max(0, number - 1))];
  return { number: hash, hash, parentHash };
};

/** A node with one new block per request. While it is held, requests for the latest block wait. */
async function startNode() {
  let isHeld = false;
  let block = 0;
  let waiting: (() => void)[] = [];
  const answer = async ({ id, method, params }: Call): Promise<object> => {
    if (method === "eth_chainId") return { jsonrpc: "2.0", id, result: "0x7a69" };
    if (params[0] !== "latest") return { jsonrpc: "2.0", id, result: toBlock(Number(params[0])) };
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    return { jsonrpc: "2.0", id, result: toBlock(++block) };
  };
  const server = await startServer(async (body, response) =>
    response.end(JSON.stringify(await Promise.all((JSON.parse(body) as readonly Call[]).map(answer)))),
  );
  return {
    ...server,
    waiting: () => waiting.length,
    block: () => block,
    skipBlocks: (count: number): void => {
      block += count;
    },
    hold: (): void => {
      isHeld = true;
    },
    release: (): void => {
      isHeld = false;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
}
type Node = Awaited<ReturnType<typeof startNode>>;

describe("a pool of nodes", () => {
  let slow: Node;
  let quick: Node;
  let clock: TestClock;
  let pool: NodePool;

  beforeEach(async () => {
    [slow, quick] = await Promise.all([startNode(), startNode()]);
    clock = new TestClock();
    pool = createTestPool([slow.url, quick.url], clock);
  });
  afterEach(() => {
    for (const node of [slow, quick]) {
      node.release();
      node.close();
    }
  });

  const getHead = (place: number) => pool.status()[place - 1]!.head;
  /** One round, in which the first node answers after `ms` of the test's clock. Returns why it is then not used. */
  async function readSlowly(ms: number): Promise<string | null> {
    slow.hold();
    const quickBlock = quick.block() + 1;
    const round = pool.readHead();
    await waitFor(async () => slow.waiting() > 0 && getHead(2) === quickBlock);
    clock.advance(GRACE_MS);
    await round;
    clock.advance(ms - GRACE_MS);
    const { problem } = pool.status()[0]!;
    const slowBlock = slow.block() + 1;
    slow.release();
    await waitFor(async () => getHead(1) === slowBlock);
    return problem;
  }

  it("excludes a slow node until it is fast again, not after every other answer", async () => {
    await readSlowly(4_000);
    for (let round = 0; round < 4; round++)
      expect(await readSlowly(4_000), `round ${round}`).to.equal("does not answer (too slow)");
    // Faster, but not fast enough.
    await readSlowly(1_200);
    expect(await readSlowly(500)).to.equal("does not answer (too slow)");
    expect(await readSlowly(500)).to.equal(null);
    // It may now be slower again for a while.
    await readSlowly(1_200);
    expect(await readSlowly(1_200)).to.equal(null);
    expect(pool.rank()).to.have.members([0, 1]);
  });

  it("never calls a slow node whose head is behind, not even in parallel to the other one", async () => {
    quick.skipBlocks(100);
    await readSlowly(4_000);
    expect(await readSlowly(4_000)).to.match(/^is \d+ blocks behind$/);
    expect(pool.rank()).to.deep.equal([1]);
    slow.hold();
    // The clock stands still, so a round that waited for the slow node would end with the failure of its request.
    await pool.readHead();
    expect(pool.status()[0]!.problem).to.match(/behind$/);
  });

  it("uses a slow node when no other one answers", async () => {
    quick.close();
    slow.hold();
    const round = pool.readHead();
    await waitFor(async () => slow.waiting() > 0);
    clock.advance(4_000);
    slow.release();
    expect(await round).to.include({ number: "0x1" });
    expect(pool.rank()[0]).to.equal(0);
  });
});
