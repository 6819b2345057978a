import { expect } from "chai";
import { RangeLimit } from "../../../backend/adapters/chain/indexer/range-limit.ts";
import { SecondRead } from "../../../backend/adapters/chain/indexer/second-read.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "./chain-fixture.ts";

/** Blocks are read again after this time. */
const DELAY_MS = 10_000;

describe("the second read of blocks", () => {
  it("covers new blocks and some before them, after a rewind also the blocks that were read twice", async () => {
    const clock = new TestClock();
    const store = { listEventKeys: async () => [] } as never;
    const deployment = { startBlock: 1, identity: "0x01", rewards: "0x02", nft: {} } as never;
    const secondRead = new SecondRead({ deployment, store, clock, log: silentLog, limit: new RangeLimit() });
    /** Stores blocks up to `to`, and reads again what is due later. */
    const readNext = async (to: number) => {
      secondRead.mark(to);
      expect(secondRead.next()).to.equal(null);
      clock.advance(DELAY_MS);
      const range = secondRead.next()!;
      const client = { getLogs: async () => [] } as never;
      expect(await secondRead.run(client, range)).to.equal(null);
      return range;
    };
    secondRead.begin(null);
    expect(await readNext(1_000)).to.deep.equal({ from: 1, to: 1_000 });
    expect(await readNext(1_010)).to.deep.equal({ from: 1_001 - 64, to: 1_010 });
    secondRead.rewind(500);
    expect(await readNext(1_020)).to.deep.equal({ from: 501 - 64, to: 1_020 });
  });
});
