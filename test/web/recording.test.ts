import { expect } from "chai";
import { games } from "../../games/index.ts";
import { Recording } from "../../web/replay/recording.ts";
import { recordShortReplay } from "../helpers/short-replay.ts";

describe("a recorded run", () => {
  // A run of 100 ticks has its only checkpoint at its end.
  for (const game of games)
    for (const ticks of [1, 60, 100, 101, Number.POSITIVE_INFINITY])
      it(`of ${game.slug} shows every requested tick, for at most ${ticks} ticks`, () => {
        const replay = recordShortReplay(game.slug);
        const recording = new Recording(game, { ...replay, ticks: Math.min(ticks, replay.ticks) });
        const last = recording.ticks;
        expect(recording.frameAt(last).tick).to.equal(last);
        for (const tick of [0, last, 1, Math.floor(last / 2), Math.max(0, last - 1), last]) {
          expect(recording.frameAt(tick).tick).to.equal(tick);
          expect(recording.frameAt(tick).score.current).to.equal(recording.scores[tick]);
          const { frame, previous } = recording.sampleAt(tick - 0.5);
          expect(frame.tick).to.equal(tick);
          expect(previous?.tick ?? null).to.equal(tick === 0 ? null : tick - 1);
        }
      });
});
