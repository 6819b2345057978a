import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { BatchSize, SIZE_MIN } from "../../../backend/adapters/chain/transaction-manager/batch-size.ts";
import type { OperatorWallet } from "../../../backend/adapters/chain/transaction-manager/operator-wallet.ts";
import { ACCEPTED } from "../../../backend/adapters/chain/transaction-manager/send-outcome.ts";
import { Sender } from "../../../backend/adapters/chain/transaction-manager/sender.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { TransactionRow, TransactionStore } from "../../../backend/ports/store/chain.ts";
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
});
