import { expect } from "chai";
import { RangeLimit } from "../../../backend/adapters/chain/indexer/range-limit.ts";
import { SecondRead } from "../../../backend/adapters/chain/indexer/second-read.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "./chain-fixture.ts";

/** Blocks are read again after this time. */
const DELAY_MS = 10_000;

describe("the second read of blocks", () => {
  const client = { getLogs: async () => [] } as never;

  function open(startBlock = 1) {
    const clock = new TestClock();
    const store = { listEventKeys: async () => [] } as never;
    const deployment = { startBlock, identity: "0x01", rewards: "0x02", nft: {} } as never;
    const limit = new RangeLimit();
    return {
      clock,
      limit,
      secondRead: new SecondRead({ deployment, store, clock, log: silentLog, limit, onAdded: () => undefined }),
    };
  }

  it("covers new blocks and some before them, after a rewind also the blocks that were read twice", async () => {
    const { clock, secondRead } = open();
    /** Stores blocks up to `to`, and reads again what is due later. */
    const readNext = async (to: number) => {
      secondRead.mark(to);
      expect(secondRead.next()).to.equal(null);
      clock.advance(DELAY_MS);
      const range = secondRead.next()!;
      await secondRead.run(client, range);
      return range;
    };
    secondRead.begin(null);
    expect(await readNext(1_000)).to.deep.equal({ from: 1, to: 1_000 });
    expect(await readNext(1_010)).to.deep.equal({ from: 1_001 - 64, to: 1_010 });
    secondRead.rewind(500);
    expect(await readNext(1_020)).to.deep.equal({ from: 501 - 64, to: 1_020 });
  });

  it("is due after the delay, at the earliest mark that is old enough", () => {
    const { clock, secondRead } = open();
    secondRead.mark(10);
    clock.advance(DELAY_MS);
    expect(secondRead.next(), "before it has begun").to.equal(null);
    secondRead.begin(null);
    clock.advance(1);
    secondRead.mark(20);
    clock.advance(DELAY_MS - 1);
    expect(secondRead.next()).to.deep.equal({ from: 1, to: 10 });
    secondRead.rewind(0);
    secondRead.mark(20);
    clock.advance(DELAY_MS - 1);
    expect(secondRead.next()).to.equal(null);
    clock.advance(1);
    expect(secondRead.next()).to.deep.equal({ from: 1, to: 20 });
  });

  it("merges the marks of less than five seconds, and ignores blocks that are marked already", () => {
    for (const [ms, to] of [
      [4_999, 10],
      [5_000, 20],
    ] as const) {
      const { clock, secondRead } = open();
      secondRead.begin(null);
      secondRead.mark(10);
      clock.advance(500);
      secondRead.mark(20);
      clock.advance(ms - 500);
      secondRead.mark(30);
      clock.advance(DELAY_MS - ms + 500);
      expect(secondRead.next(), `${ms} ms`).to.deep.equal({ from: 1, to });
    }
    const { clock, secondRead } = open();
    secondRead.begin(null);
    secondRead.mark(10);
    clock.advance(DELAY_MS);
    secondRead.mark(10);
    secondRead.mark(9);
    expect(secondRead.next()).to.deep.equal({ from: 1, to: 10 });
  });

  it("keeps the blocks up to that of a rewind, and forgets those above it and the blocks now being read", () => {
    const { clock, secondRead } = open();
    secondRead.begin(null);
    secondRead.mark(100);
    clock.advance(5_000);
    secondRead.mark(200);
    clock.advance(DELAY_MS);
    expect(secondRead.next()).to.deep.equal({ from: 1, to: 200 });
    secondRead.rewind(100);
    expect(secondRead.next()).to.deep.equal({ from: 1, to: 100 });
    secondRead.rewind(99);
    expect(secondRead.next()).to.equal(null);
  });

  it("covers the last blocks of the previous process, but none before the deployment", () => {
    for (const [indexedBlock, startBlock, from] of [
      [5_000, 1, 5_000 - 1_024 + 1 - 64],
      [5_000, 4_900, 4_900],
    ] as const) {
      const { clock, secondRead } = open(startBlock);
      secondRead.begin(indexedBlock);
      clock.advance(DELAY_MS);
      expect(secondRead.next(), String(startBlock)).to.deep.equal({ from, to: indexedBlock });
    }
  });

  it("takes as many requests as the node's limit requires", async () => {
    const { clock, limit, secondRead } = open();
    secondRead.begin(null);
    secondRead.mark(10);
    clock.advance(5_000);
    secondRead.mark(15);
    clock.advance(5_000);
    limit.reject(9);
    const ranges: unknown[] = [];
    for (let range = secondRead.next(); range !== null; range = secondRead.next()) {
      ranges.push(range);
      await secondRead.run(client, range);
    }
    expect(ranges).to.deep.equal([
      { from: 1, to: 4 },
      { from: 5, to: 8 },
      { from: 9, to: 10 },
    ]);
    clock.advance(5_000);
    expect(secondRead.next()).to.deep.equal({ from: 1, to: 4 });
  });
});
