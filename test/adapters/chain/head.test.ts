import { expect } from "chai";
import { BlockNotFoundError, type PublicClient } from "viem";
import { HeadTracker } from "../../../backend/adapters/chain/indexer/head.ts";
import { TestClock } from "../../helpers/test-clock.ts";

describe("the final block", () => {
  let clock: TestClock;
  let tracker: HeadTracker;
  let tags: string[];
  beforeEach(() => {
    clock = new TestClock();
    tags = [];
    tracker = new HeadTracker({ chainId: 8453, confirmations: 3, clock });
  });

  /** A poll that learns the head, and one that reads the tag if it is due. `finalized`: null for a node without it. */
  async function poll(head: bigint, finalized: bigint | null): Promise<number> {
    const getBlock = async ({ blockTag }: { readonly blockTag: string }) => {
      tags.push(blockTag);
      if (blockTag === "latest") return { number: head, hash: "0x01", timestamp: 1n };
      if (finalized === null) throw new BlockNotFoundError({});
      return { number: finalized };
    };
    for (let count = 0; count < 2; count++) await tracker.poll({ getBlock } as unknown as PublicClient);
    return tracker.finality.final;
  }

  it("is read once every three blocks, and when the head is as much lower", async () => {
    const counts: number[] = [];
    for (const head of [100n, 102n, 103n, 103n, 105n, 106n, 104n, 103n]) {
      await poll(head, 80n);
      counts.push(tags.filter((tag) => tag === "finalized").length);
    }
    expect(counts).to.deep.equal([1, 1, 2, 2, 2, 3, 3, 4]);
  });

  it("is read again with the next poll if the node did not answer", async () => {
    const getBlock = async () => Promise.reject(new Error("no answer"));
    const failed = await tracker.poll({ getBlock } as unknown as PublicClient).catch((error: Error) => error.message);
    expect(failed).to.equal("no answer");
    await poll(100n, 80n);
    expect(await poll(103n, 80n)).to.equal(80);
  });

  it("is the one that all reads report as final while the head rises by three blocks", async () => {
    expect(await poll(100n, 80n)).to.equal(-1);
    expect(await poll(102n, 80n)).to.equal(-1);
    expect(await poll(103n, 82n)).to.equal(80);
    expect(await poll(106n, 84n)).to.equal(82);
  });

  it("does not go back when a node reports an earlier one than before, or an earlier head", async () => {
    await poll(100n, 80n);
    expect(await poll(103n, 83n)).to.equal(80);
    expect(await poll(106n, 60n)).to.equal(80);
    expect(await poll(70n, 80n)).to.equal(80);
    expect(await poll(107n, 86n)).to.equal(80);
    expect(await poll(110n, 89n)).to.equal(86);
  });

  it("follows a chain with instant finality at a distance of a few blocks, and is always safe", async () => {
    for (let head = 100n; head < 110n; head++) await poll(head, head);
    expect(tracker.finality).to.deep.equal({ safe: 106, final: 103 });
  });

  for (const [what, head, finalized] of [
    ["its head as final", 110n, 110n],
    ["one beyond the head as final", 110n, 999n],
    ["a head that does not exist, and one below it as final", 5_000n, 4_900n],
  ] as const)
    it(`is not changed by one poll in which a node reports ${what}, whichever poll that is`, async () => {
      for (let wrong = 0; wrong < 8; wrong++) {
        tracker = new HeadTracker({ chainId: 8453, confirmations: 3, clock: new TestClock() });
        for (let turn = 0; turn < 12; turn++) {
          const honest = 110n + BigInt(turn);
          const isWrong = turn === wrong;
          const final = await (isWrong ? poll(head + BigInt(turn), finalized + BigInt(turn)) : poll(honest, 50n));
          expect(final, `poll ${turn} with ${wrong} wrong`).to.be.at.most(50);
        }
        expect(tracker.finality.final).to.equal(50);
      }
    });

  it("is not taken from a wrong answer when the node has lost the tag since", async () => {
    await poll(100n, 100n);
    for (let head = 101n; head < 120n; head++) expect(await poll(head, null)).to.equal(-1);
    clock.advance(60_000);
    await poll(120n, 70n);
    expect(await poll(123n, 73n)).to.equal(70);
  });

  it("is 64 blocks below the head when the node does not have the tag", async () => {
    await poll(100n, null);
    expect(await poll(103n, null)).to.equal(36);
  });

  it("is not counted from a head that does not exist when the node does not have the tag", async () => {
    await poll(100n, null);
    await poll(5_000n, null);
    for (let head = 103n; head < 110n; head++) await poll(head, null);
    expect(tracker.finality.final).to.be.within(36, 45);
  });
});
