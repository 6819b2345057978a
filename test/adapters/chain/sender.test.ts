import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { BatchSize, SIZE_MIN } from "../../../backend/adapters/chain/transaction-manager/batch-size.ts";
import type { OperatorWallet } from "../../../backend/adapters/chain/transaction-manager/operator-wallet.ts";
import { ACCEPTED } from "../../../backend/adapters/chain/transaction-manager/send-outcome.ts";
import { Sender } from "../../../backend/adapters/chain/transaction-manager/sender.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { TransactionRow, TransactionStore } from "../../../backend/ports/store/chain.ts";
import { FEE_ABOVE_CAP, FEE_RAISES_SPENT } from "../../../domain/operator-transactions.ts";
import { silentLog } from "./chain-fixture.ts";

describe("sending stored transactions", () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => {
    unhandled.push(reason);
  };
  before(() => process.on("unhandledRejection", onUnhandled));
  after(() => process.off("unhandledRejection", onUnhandled));

  it("throws a failed write at the end, and leaves no rejection unhandled while the next batch is sent", async () => {
    const sizes: number[] = [];
    const wallet = {
      send: async (raws: readonly unknown[]) => {
        sizes.push(raws.length);
        // In this time Node reports an unhandled rejection, which would end the service.
        for (let turns = 0; turns < 2; turns += 1) await turn();
        return raws.map(() => ACCEPTED);
      },
    } as unknown as OperatorWallet;
    const store = {
      markSent: async () => {
        throw new Error("the disk is full");
      },
    } as unknown as TransactionStore;
    const sender = new Sender({ wallet, store, clock: systemClock, log: silentLog, batchSize: new BatchSize() });
    const rows = Array.from(
      { length: SIZE_MIN + 1 },
      (_, n) => ({ id: String(n), raw: "0x" }) as unknown as TransactionRow,
    );
    const failure = await sender.send(rows).then(
      () => null,
      (error: Error) => error.message,
    );
    expect({ failure, sizes }).to.deep.equal({ failure: "the disk is full", sizes: [SIZE_MIN, 1] });
    expect(unhandled).to.deep.equal([]);
  });

  it("stores each new reason of the node once, and keeps the reason why fees stay", async () => {
    const low = "replacement transaction underpriced";
    for (const [lastError, kind, isStored] of [
      [null, "refused", true],
      [null, "underpriced", true],
      ["another reason", "underpriced", true],
      [low, "underpriced", false],
      [low, "refused", false],
      [FEE_ABOVE_CAP, "underpriced", false],
      [FEE_RAISES_SPENT, "underpriced", false],
      [FEE_ABOVE_CAP, "refused", true],
      [FEE_RAISES_SPENT, "refused", true],
    ] as const) {
      const noted: unknown[] = [];
      const store = {
        noteRefusal: async (...refusal: readonly unknown[]) => noted.push(refusal) === 1,
      } as unknown as TransactionStore;
      const ports = { wallet: {} as OperatorWallet, store, clock: systemClock, log: silentLog };
      const sender = new Sender({ ...ports, batchSize: new BatchSize() });
      await sender.storeRefusal({ id: "a", nonce: 1, lastError } as TransactionRow, { kind, reason: low });
      const expected = isStored ? [["a", low]] : [];
      expect(noted, `${lastError} ${kind}`).to.deep.equal(expected);
      expect(sender.refused).to.equal(expected.length);
    }
  });
});
