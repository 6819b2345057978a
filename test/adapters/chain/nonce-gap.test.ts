import { expect } from "chai";
import type { Fees } from "../../../backend/adapters/chain/transaction-manager/fees.ts";
import { NonceGaps } from "../../../backend/adapters/chain/transaction-manager/nonce-gap.ts";
import type { SendOutcome } from "../../../backend/adapters/chain/transaction-manager/send-outcome.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "./chain-fixture.ts";
import { operator } from "./manager-fixture.ts";

const STUCK_MS = 1_000;
const GAP_FILL_MAX = 100;

/** The gaps of an operator on a node whose answers the test decides. */
function createGaps(feeCap: bigint | null = null) {
  const clock = new TestClock();
  const node = {
    fees: { maxFeePerGas: 800n, maxPriorityFeePerGas: 80n } as Fees,
    outcome: "accepted" as SendOutcome["kind"],
    pendingCount: 5,
  };
  const sent: { readonly nonce: number; readonly fee: bigint }[] = [];
  const wallet = {
    getFees: async () => node.fees,
    getPendingCount: async () => node.pendingCount,
    sign: async (_: object, nonce: number, { maxFeePerGas }: Fees) => ({ raw: { nonce, fee: maxFeePerGas } }),
    send: async (raws: typeof sent) => {
      sent.push(...raws);
      return raws.map(() => ({ kind: node.outcome, reason: "a test" }));
    },
  } as never;
  const gaps = new NonceGaps({ account: operator as never, wallet, clock, log: silentLog, stuckMs: STUCK_MS, feeCap });
  return { clock, node, sent, gaps };
}

describe("gaps in the operator's nonces", () => {
  it("are filled from the lowest unused nonce up to the first waiting transaction, at most a hundred at once", async () => {
    for (const [firstOpen, count] of [
      [4, 0],
      [5, 0],
      [6, 1],
      [5 + GAP_FILL_MAX, GAP_FILL_MAX],
      [6 + GAP_FILL_MAX, GAP_FILL_MAX],
    ] as const) {
      const { gaps, sent } = createGaps();
      await gaps.fill(firstOpen, 5, 1);
      const expected = Array.from({ length: count }, (_, index) => 5 + index);
      expect(
        sent.map(({ nonce }) => nonce),
        String(firstOpen),
      ).to.deep.equal(expected);
    }
  });

  it("get higher fees after the time limit and a new block, and the network's fees if those are higher still", async () => {
    const { clock, node, gaps, sent } = createGaps();
    const fill = async (headNumber: number) => {
      const count = sent.length;
      await gaps.fill(6, 5, headNumber);
      return sent.slice(count).map(({ fee }) => fee);
    };
    expect(await fill(1)).to.deep.equal([800n]);
    node.pendingCount = 6;
    clock.advance(STUCK_MS - 1);
    expect(await fill(2), "before the time limit").to.deep.equal([]);
    clock.advance(1);
    expect(await fill(1), "without a new block").to.deep.equal([]);
    expect(await fill(2)).to.deep.equal([900n]);
    clock.advance(STUCK_MS);
    node.fees = { maxFeePerGas: 2_000n, maxPriorityFeePerGas: 80n };
    expect(await fill(3)).to.deep.equal([2_000n]);
    clock.advance(STUCK_MS);
    node.fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n };
    expect(await fill(4)).to.deep.equal([2_250n]);
    node.pendingCount = 5;
    expect(await fill(4), "after the node has lost it").to.deep.equal([100n]);
  });

  it("do not get higher fees than the cap allows", async () => {
    const { clock, node, gaps, sent } = createGaps(850n);
    await gaps.fill(6, 5, 1);
    node.pendingCount = 6;
    clock.advance(STUCK_MS);
    await gaps.fill(6, 5, 2);
    expect(sent.map(({ fee }) => fee)).to.deep.equal([800n, 850n]);
  });

  it("wait for the whole time limit again when another gap follows, or the old one has closed", async () => {
    for (const isClosed of [true, false]) {
      const { clock, node, gaps, sent } = createGaps();
      await gaps.fill(6, 5, 1);
      node.pendingCount = isClosed ? 6 : 7;
      clock.advance(STUCK_MS);
      if (isClosed) await gaps.fill(5, 5, 2);
      await gaps.fill(7, isClosed ? 5 : 6, 3);
      expect(sent, `closed: ${isClosed}`).to.have.length(1);
    }
  });
});
