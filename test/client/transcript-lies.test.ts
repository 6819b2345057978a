import { expect } from "chai";
import fc from "fast-check";
import { everyThird, Play } from "../helpers/transcript-play.ts";

const NONE = { t: "input", dir: "none" } as const;

describe("the transcript of a session whose service lies about its inputs", () => {
  it("reports a release of the held input that was not sent but is in the service's digests", () => {
    const play = new Play();
    play.send(1);
    play.advance(20);
    play.insert(NONE);
    play.advance(20);
    expect(play.compare().join()).to.match(/^transcript\.inputs\[\d+\]$/);
  });

  it("agrees with the release for a disconnected player, wherever it is among the sent inputs", () => {
    const play = new Play();
    play.send(1);
    play.advance(10);
    play.leave(20);
    for (const index of [2, 0, 1]) {
      play.send(index);
      play.advance(5);
    }
    expect(play.inputs.map(([tick]) => tick)).to.include(11);
    expect(play.compare()).to.deep.equal([]);
  });

  it("reports a release before the player disconnected, and one after its return", () => {
    for (const isBefore of [true, false]) {
      const play = new Play();
      play.send(1);
      play.advance(20);
      if (isBefore) play.insert(NONE);
      play.advance(5);
      play.leave(5);
      play.send(2);
      play.advance(5);
      if (!isBefore) play.insert(NONE);
      play.advance(5);
      expect(play.compare().join(), isBefore ? "before" : "after").to.include("transcript.inputs[");
    }
  });

  it("names an input that the service drops while it leaves out a frame", () => {
    for (const skipped of [0, 1, 5]) {
      const play = new Play();
      play.advance(20, everyThird);
      play.sendDropped(play.inputs.at(-1)![1] === 1 ? 2 : 1);
      play.advance(skipped, undefined, true);
      play.advance(1);
      play.advance(20, everyThird);
      expect(play.compare().join(), `${skipped} frames left out`).to.include("transcript.inputs at tick");
    }
  });

  it("agrees where frames are left out, sockets are lost, and nothing is dropped", () => {
    const part = fc.record({
      ticks: fc.integer({ min: 0, max: 20 }),
      skipped: fc.integer({ min: 0, max: 6 }),
      every: fc.integer({ min: 1, max: 4 }),
      gone: fc.integer({ min: 0, max: 6 }),
    });
    fc.assert(
      fc.property(fc.constantFrom("shellrunners", "flappybots"), fc.array(part, { maxLength: 6 }), (slug, parts) => {
        const play = new Play(slug);
        for (const { ticks, skipped, every, gone } of parts) {
          const getMove = (tick: number): number | null => (tick % every === 0 ? tick / every : null);
          play.advance(ticks, getMove);
          play.advance(skipped, getMove, true);
          play.frame();
          if (gone > 0) play.leave(gone);
        }
        play.advance(10, everyThird);
        expect(play.compare()).to.deep.equal([]);
      }),
      { numRuns: 100 },
    );
  });
});
