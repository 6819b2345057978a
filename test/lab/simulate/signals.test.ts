import { expect } from "chai";
import { joinSignals, rejectWhenAborted, SimulatedSignal } from "../../../lab/simulate/world/signals.ts";

describe("abort signals of simulated requests", () => {
  it("reject waiters for one of several signals, with its reason", async () => {
    const [deadline, closed] = [new SimulatedSignal(), new AbortController()];
    const { promise } = rejectWhenAborted(joinSignals([deadline, closed.signal]));
    closed.abort("closed");
    deadline.abort(() => "late");
    expect(await promise.catch((reason: unknown) => reason)).to.equal("closed");
  });

  it("reject at once if one of them was already aborted", async () => {
    const deadline = new SimulatedSignal();
    deadline.abort(() => "late");
    const { promise } = rejectWhenAborted(joinSignals([new SimulatedSignal(), deadline]));
    expect(await promise.catch((reason: unknown) => reason)).to.equal("late");
  });

  it("do not notify a request that has ended", async () => {
    const signal = new SimulatedSignal();
    const { promise, stop } = rejectWhenAborted(signal);
    stop();
    signal.abort(() => "late");
    expect(await Promise.race([promise, Promise.resolve("nothing")])).to.equal("nothing");
  });

  it("report when they have no more waiters", () => {
    let isUnused = false;
    const signal = new SimulatedSignal(() => {
      isUnused = true;
    });
    const [one, other] = [rejectWhenAborted(signal), rejectWhenAborted(signal)];
    one.stop();
    expect(isUnused).to.equal(false);
    other.stop();
    expect(isUnused).to.equal(true);
  });
});
