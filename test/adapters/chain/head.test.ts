import { expect } from "chai";
import type { PublicClient } from "viem";
import { HeadTracker } from "../../../backend/adapters/chain/indexer/head.ts";
import { TestClock } from "../../helpers/test-clock.ts";

describe("the final block", () => {
  let tracker: HeadTracker;
  beforeEach(() => {
    tracker = new HeadTracker({ chainId: 8453, confirmations: 3, clock: new TestClock() });
  });

  async function poll(head: bigint, finalized: bigint): Promise<number> {
    const getBlock = async ({ blockTag }: { readonly blockTag: string }) =>
      blockTag === "latest" ? { number: head, hash: "0x01", timestamp: 1n } : { number: finalized };
    await tracker.poll({ getBlock } as unknown as PublicClient);
    return tracker.finality.final;
  }

  it("does not go back where a node names an earlier one than before, or an earlier head", async () => {
    expect(await poll(100n, 80n)).to.equal(80);
    expect(await poll(100n, 60n)).to.equal(80);
    expect(await poll(70n, 80n)).to.equal(80);
    expect(await poll(101n, 81n)).to.equal(81);
  });

  it("is a safe one where a node names one beyond the head, and only until the node names another", async () => {
    expect(await poll(100n, 999n)).to.equal(97);
    expect(await poll(110n, 90n)).to.equal(97);
  });
});
