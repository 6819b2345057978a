import { expect } from "chai";
import { resumeInTurns } from "../../../backend/adapters/system/turns.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("requests that wait for the same thing", () => {
  it("continue a few in each turn of the event loop, in their order", async () => {
    await nextTurn();
    const order: number[] = [];
    const perTurn: number[] = [];
    for (let n = 0; n < 50; n += 1) resumeInTurns(() => order.push(n));
    let before = 0;
    for (;;) {
      perTurn.push(order.length - before);
      before = order.length;
      if (before === 50) break;
      await nextTurn();
    }
    expect(order).to.deep.equal(Array.from({ length: 50 }, (_, n) => n));
    expect(Math.max(...perTurn)).to.be.at.most(4);
  });

  it("continue at once if there is only one", async () => {
    await nextTurn();
    await nextTurn();
    let isResumed = false;
    resumeInTurns(() => {
      isResumed = true;
    });
    expect(isResumed).to.equal(true);
  });

  it("stay behind those that already wait", async () => {
    const order: string[] = [];
    for (let n = 0; n < 6; n += 1) resumeInTurns(() => order.push(`first ${n}`));
    await nextTurn();
    resumeInTurns(() => order.push("second"));
    while (order.length < 7) await nextTurn();
    expect(order.at(-1)).to.equal("second");
  });
});
