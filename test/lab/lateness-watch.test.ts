import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { expectPunctual, LatenessWatch } from "../../lab/drills/support/lateness-watch.ts";

/** A game whose ticks were this late in every window. */
const createGame = (ticks: number, p99Ms: number) => ({ lateness: async () => ({ ticks, p99Ms }) as never });

describe("a drill's watch over the ticks of a game", () => {
  async function watch(ticks: number, controlMs: number, loadedMs: number) {
    const watching = new LatenessWatch(createGame(ticks, loadedMs), createGame(ticks, controlMs), 10, 1);
    while (!watching.isEnough) await sleep(1);
    return await watching.stop();
  }

  it("reports how much later they were under the load", async () => {
    expect((await watch(100, 2, 5)).excessMs).to.equal(3);
  });

  it("does not judge on a machine that is too busy, and reports it", async () => {
    const { excessMs, figure } = await watch(100, 20, 50);
    expect(excessMs).to.equal(null);
    expect(figure).to.include("not judged, the machine was too busy");
  });

  it("fails a full run without a judgment, and lets a short one pass", () => {
    expect(() => expectPunctual(null, 10, true)).to.throw("were not judged");
    expect(() => expectPunctual(null, 10, false)).to.not.throw();
    for (const isFullRun of [true, false]) {
      expect(() => expectPunctual(11, 10, isFullRun)).to.throw("the player's ticks");
      expect(() => expectPunctual(9, 10, isFullRun)).to.not.throw();
    }
  });

  it("ends with a clear error when the game makes too few ticks", async () => {
    const error = await watch(0, 0, 0).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(Error).with.property("message").that.includes("expected 20 ticks");
  });
});
