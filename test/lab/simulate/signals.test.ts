import { expect } from "chai";
import { joinSignals, rejectWhenAborted, SimulatedSignal } from "../../../lab/simulate/world/signals.ts";

describe("abort signals of simulated requests", () => {
  it("reject what waits for one of several signals, with its reason", async () => {
    const [deadline, closed] = [new SimulatedSignal(), new AbortController()];
    const { promise } = rejectWhenAborted(joinSignals([deadline, closed.signal]));
    closed.abort("closed");
    deadline.abort(() => "late");
    expect(await promise.catch((reason: unknown) => reason)).to.equal("closed");
  });

  it("reject at once where one of them has been aborted before", async () => {
    const deadline = new SimulatedSignal();
    deadline.abort(() => "late");
    const { promise } = rejectWhenAborted(joinSignals([new SimulatedSignal(), deadline]));
    expect(await promise.catch((reason: unknown) => reason)).to.equal("late");
  });

  it("tell nothing to a request that has ended", async () => {
    const signal = new SimulatedSignal();
    const { promise, stop } = rejectWhenAborted(signal);
    stop();
    signal.abort(() => "late");
    expect(await Promise.race([promise, Promise.resolve("nothing")])).to.equal("nothing");
  });

  it("report when nothing waits for them any more", () => {
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
