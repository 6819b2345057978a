import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { joinTicks, PublishedTick } from "../../domain/protocol/session-tick.ts";
import { findTextFrames } from "../../domain/protocol/websocket-frames.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "../live/live-suite.ts";

describe("the ticks of spectators", () => {
  const testServer = useEach(startLiveTestServer);

  /** A started session, and a spectator for whom no tick waits. */
  const watch = async (query: string) => {
    const row = await testServer.startSession();
    const player = await testServer.play(row);
    const viewer = await testServer.join("spectate", row, { query });
    return { row, player, viewer };
  };
  const tick = ({ sessionId }: SessionRow) =>
    testServer.game.registry.get(sessionId)!.tick(testServer.clock.monotonicMs());
  const getTick = ({ sessionId }: SessionRow) => testServer.game.registry.getView(sessionId)!.tick;

  for (const query of ["", "&enc=compact"])
    describe(`on the channel ${query || "with JSON"}`, () => {
      it("come two at a time, while the player gets each at once", async () => {
        const { row, player, viewer } = await watch(query);
        const first = getTick(row);
        for (const made of [1, 2, 3]) {
          tick(row);
          await player.frame((frame) => frame.tick === first + made);
        }
        // A pong follows all that was sent before it.
        viewer.send({ t: "ping" });
        await viewer.waitForMessage((message) => message.t === "pong");
        expect(viewer.getFrames().map((frame) => frame.tick)).to.deep.equal([first + 1, first + 2]);
        tick(row);
        await viewer.frame((frame) => frame.tick === first + 4);
      });

      it("come at once with an event", async () => {
        const { row, player, viewer } = await watch(query);
        player.send({ t: "cmd", cmd: "pause" });
        await testServer.waitUntil(() => testServer.game.registry.getView(row.sessionId)!.phase === "paused");
        tick(row);
        expect(await viewer.waitForEvent("paused")).to.include({ by: "player" });
        expect(await viewer.frame(() => true)).to.include({ phase: "paused", tick: getTick(row) });
      });

      it("are sent before another spectator joins, who gets only those after it", async () => {
        const { row, viewer } = await watch(query);
        const first = getTick(row);
        tick(row);
        const late = await testServer.join("spectate", row, { query });
        await viewer.frame((frame) => frame.tick === first + 1);
        tick(row);
        tick(row);
        await viewer.frame((frame) => frame.tick === first + 3);
        await late.frame((frame) => frame.tick === first + 3);
        expect(late.getFrames().map((frame) => frame.tick)).to.deep.equal([first + 2, first + 3]);
      });

      it("come one at a time in lockstep, where the next may take long", async () => {
        const row = await testServer.startSession({}, null, { isLockstep: true });
        const viewer = await testServer.join("spectate", row, { query });
        const session = testServer.game.registry.get(row.sessionId)!;
        for (const made of [1, 2, 3]) {
          session.step(testServer.clock.monotonicMs(), { move: null, ticks: 1 });
          await viewer.frame((frame) => frame.tick === made);
        }
        expect(viewer.getFrames().map((frame) => frame.tick)).to.deep.equal([1, 2, 3]);
      });
    });
});

describe("joined ticks", () => {
  const createTick = (tick: number, events: readonly string[] = []) =>
    new PublishedTick(
      events.map((event) => ({ t: "event", event, tick })),
      { t: "frame", frame: { tick } } as never,
    );
  const readMessages = (bytes: Buffer) =>
    findTextFrames(bytes)!.map(({ payloadStart, end }) => JSON.parse(bytes.toString("utf8", payloadStart, end)));
  const ticks = [createTick(1), createTick(2, ["a", "b"]), createTick(3, ["c"])];

  it("have all messages in their order", () => {
    const joined = joinTicks(ticks);
    expect(joined.count).to.equal(3);
    const names = readMessages(joined.whole).map(({ event, frame }) => event ?? frame.tick);
    expect(names).to.deep.equal([1, "a", "b", 2, "c", 3]);
    expect(readMessages(joined.events!).map(({ event }) => event)).to.deep.equal(["a", "b", "c"]);
    expect(joinTicks(ticks.slice(0, 1)).events).to.equal(null);
  });

  it("have one frame after skipped ones, whose count includes those that it replaces", () => {
    const [message, ...others] = readMessages(joinTicks(ticks).withSkipped(4));
    expect(message).to.deep.equal({ t: "frame", frame: { tick: 3, skipped: 6 } });
    expect(others).to.deep.equal([]);
    expect(readMessages(joinTicks([joinTicks(ticks), createTick(4)]).withSkipped(0))[0].frame.skipped).to.equal(3);
  });
});
