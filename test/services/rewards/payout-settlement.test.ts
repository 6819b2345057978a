import { expect } from "chai";
import type { ChainWriter } from "../../../backend/ports/transactions.ts";
import { PayoutSettlement } from "../../../backend/services/rewards/payout-settlement.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { OperatorBudgetError } from "../../../domain/operator-policy.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { ALICE, createPayoutRow } from "../../adapters/store/rows.ts";
import { useEach } from "../../helpers/fixture.ts";
import { TestClock } from "../../helpers/test-clock.ts";

describe("the failure of a payout", () => {
  it("is forgotten when the payout is closed, and logged again when it is reopened", async () => {
    const row = createPayoutRow();
    let open = [row];
    const warnings: string[] = [];
    const submit = async (): Promise<never> => {
      throw new ArcadeError("TX_FAILED", "The contract refuses the call.");
    };
    const settlement = new PayoutSettlement({
      store: { listUnsynced: async () => open, failUnsent: async () => true } as never,
      chain: { deployment: { chainId: 31337, rewards: ALICE } } as never,
      writer: { submit, onPolled: () => () => undefined } as unknown as ChainWriter,
      clock: new TestClock(),
      log: { warn: (_: object, message: string) => warnings.push(message) } as never,
    });
    await settlement.settle();
    open = [];
    await settlement.settle();
    open = [row];
    await settlement.settle();
    expect(warnings).to.have.length(2);
  });
});

describe("a payout beyond the calls of the operator's day", () => {
  const store = useEach(openMemoryStore);

  it("is tried and logged once a day", async () => {
    const clock = new TestClock();
    const policy = { rules: [], callsPerDay: 1, gasPerCall: 1n };
    let tries = 0;
    const submit = async (): Promise<never> => {
      tries += 1;
      throw new OperatorBudgetError(policy, clock.nowMs());
    };
    const warnings: string[] = [];
    const settlement = new PayoutSettlement({
      store: store.payouts,
      chain: { deployment: { chainId: 31337, rewards: ALICE }, getReceipt: async () => null } as never,
      writer: { submit, onPolled: () => () => undefined } as unknown as ChainWriter,
      clock,
      log: { warn: (_: object, message: string) => warnings.push(message) } as never,
    });
    const row = createPayoutRow();
    await store.payouts.open(row);
    for (let second = 0; second < 5; second++) {
      await settlement.settle();
      clock.advance(1000);
    }
    // Neither settling nor requests ask the node again.
    expect(await settlement.execute(row, 0)).to.equal(row);
    expect(tries).to.equal(1);
    expect(warnings).to.deep.equal(["an open payout could not be continued"]);
    clock.advance(DAY_MS - (clock.nowMs() % DAY_MS) - 1);
    await settlement.settle();
    expect(tries, "a millisecond before the next day").to.equal(1);
    clock.advance(1);
    await settlement.settle();
    expect(tries, "on the next day").to.equal(2);
    expect(warnings).to.have.length(2);
  });

  it("is tried again when a clock that was ahead is set back", async () => {
    const clock = new TestClock();
    let tries = 0;
    const submit = async (): Promise<never> => {
      tries += 1;
      throw new OperatorBudgetError({ rules: [], callsPerDay: 1, gasPerCall: 1n }, clock.nowMs());
    };
    const settlement = new PayoutSettlement({
      store: store.payouts,
      chain: { deployment: { chainId: 31337, rewards: ALICE } } as never,
      writer: { submit, onPolled: () => () => undefined } as unknown as ChainWriter,
      clock,
      log: { warn: () => undefined } as never,
    });
    await store.payouts.open(createPayoutRow());
    clock.advance(2 * DAY_MS);
    await settlement.settle();
    clock.advance(-2 * DAY_MS);
    await settlement.settle();
    expect(tries).to.equal(2);
  });

  it("is rejected with the time at which the key signs again", () => {
    const { fields } = new OperatorBudgetError({ rules: [], callsPerDay: 1, gasPerCall: 1n }, 3 * DAY_MS - 1500);
    expect(fields).to.deep.equal({ resetsAt: "1970-01-04T00:00:00.000Z", retryAfterSeconds: 2 });
  });
});

describe("a payout whose transaction has a result", () => {
  const store = useEach(openMemoryStore);
  const [OTHER, TX_HASH] = [`0x${"0b".repeat(20)}`, `0x${"0c".repeat(32)}`] as const;
  const payout = (wallet: string, amount: bigint) => ({ name: "Payout", wallet, score: 9n, amount, scorebank: 4n });

  for (const [status, found, expected] of [
    ["included", [payout(OTHER, 7n), payout(ALICE, 8n)], { status: "included", amount: 8n, remaining: 4n }],
    ["included", [payout(OTHER, 7n)], { status: "included" }],
    ["failed", [payout(ALICE, 8n)], { status: "failed" }],
  ] as const)
    it(`has the amounts of its event if it is included: ${status}, ${found.length} events`, async () => {
      const row = createPayoutRow();
      await store.payouts.open(row);
      const transaction = { id: "t", kind: "payout", key: row.payoutId, status, txHash: TX_HASH, block: 7 };
      const settlement = new PayoutSettlement({
        store: store.payouts,
        chain: {
          deployment: { chainId: 31337, rewards: ALICE },
          getReceipt: async () => ({ events: found }),
        } as never,
        writer: {
          submit: async () => transaction,
          waitForTransaction: async () => ({ ...transaction, isFinal: false }),
          onPolled: () => () => undefined,
        } as never,
        clock: new TestClock(),
        log: { warn: () => undefined } as never,
      });
      await settlement.settle();
      const stored = (await store.payouts.find(row.payoutId))!;
      const { status: _, amount, remaining } = row;
      expect(stored).to.deep.include({ amount, remaining, ...expected });
    });
});
