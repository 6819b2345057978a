import { expect } from "chai";
import { SessionListeners } from "../../backend/live/session-listeners.ts";
import type { SessionListener } from "../../backend/ports/live-channels.ts";
import type { FrameMessage } from "../../domain/protocol/messages.ts";

describe("the listeners of a session", () => {
  const FRAME = { t: "frame", frame: {} } as FrameMessage;
  /** Subscribes, and keeps the names of the events of each tick. */
  function listen(listeners: SessionListeners) {
    const ticks: (readonly string[])[] = [];
    const unsubscribe = listeners.subscribe({
      onTick: ({ events }: Parameters<SessionListener["onTick"]>[0]) =>
        void ticks.push([...(events?.toString("latin1") ?? "").matchAll(/"event":"(\w+)"/g)].map(([, name]) => name!)),
      onEnd: () => undefined,
    } as never);
    return { ticks, unsubscribe };
  }

  it("get each event once, with the next frame, and none from before they came", () => {
    const listeners = new SessionListeners();
    listeners.addEvent({ event: "early" }, 1);
    const first = listen(listeners);
    listeners.publish(() => FRAME);
    listeners.addEvent({ event: "one" }, 2);
    const second = listen(listeners);
    for (let count = 0; count < 2; count++) listeners.publish(() => FRAME);
    first.unsubscribe();
    listeners.addEvent({ event: "two" }, 4);
    listeners.addEvent({ event: "three" }, 4);
    for (let count = 0; count < 2; count++) listeners.publish(() => FRAME);
    expect(first.ticks).to.deep.equal([[], ["one"], []]);
    expect(second.ticks).to.deep.equal([["one"], [], ["two", "three"], []]);
  });

  it("are none: no frame is built, and events are only returned to their caller", () => {
    const listeners = new SessionListeners();
    listeners.publish(() => expect.fail("a frame was built"));
    const collected = listeners.collect(() => listeners.addEvent({ event: "one" }, 3));
    expect(collected).to.deep.equal([{ t: "event", event: "one", tick: 3 }]);
    const { ticks } = listen(listeners);
    listeners.publish(() => FRAME);
    expect(ticks).to.deep.equal([[]]);
  });
});
