import { expect } from "chai";
import type { PlayFrame } from "../../backend/games/game.ts";
import { games } from "../../backend/games/index.ts";
import { ahead } from "../../client/index.ts";
import { playBot, toInputCodes, toPlayFrame, toSeed } from "../../scripts/evaluate/play.ts";

const TICKS = 12;

/** The frame without what came into sight after the tick it is predicted from, and without the session's own fields. */
const withoutNew = (frame: PlayFrame, ids: ReadonlySet<number>): object => ({
  ...frame,
  tMs: 0,
  score: frame.score.current,
  entities: frame.entities.filter(({ id }) => ids.has(id)),
});

for (const game of games.filter(({ resume }) => resume !== undefined)) {
  describe(`looking ahead in ${game.slug}`, () => {
    for (const tickHz of [10, 20, 60]) {
      it(`gives the frame that the server sends ${TICKS} ticks later, at ${tickHz} ticks a second`, () => {
        for (const bot of [game.bots.reference(), game.bots.random(3)]) {
          const state = game.init(toSeed(7), tickHz);
          const predicted = new Map<number, PlayFrame>();
          const moves = Array.from({ length: TICKS }, () => null as ReturnType<typeof bot>);
          while (!state.over) {
            const frame = toPlayFrame(game, state);
            const expected = predicted.get(state.tick);
            const ids = new Set(expected?.entities.map(({ id }) => id));
            if (expected) expect(withoutNew(frame, ids)).to.deep.equal(withoutNew(expected, ids));
            predicted.set(state.tick + TICKS, ahead(JSON.parse(JSON.stringify(frame)), moves, TICKS));
            moves.push(bot(frame));
            game.step(state, toInputCodes(game, moves.shift()!));
          }
        }
      }).timeout(20_000);
    }

    it("needs nothing that the frame does not show: the course behind the horizon stays hidden", () => {
      const { state } = playBot(game, toSeed(3), game.bots.random(1));
      const resumed = game.resume!(toPlayFrame(game, state)) as unknown as { course: { random: { key: unknown } } };
      expect(resumed.course.random.key).to.deep.equal([]);
    });

    it("names what is wrong with a frame or an argument", () => {
      const frame = toPlayFrame(game, game.init(toSeed(1), game.tickHz));
      expect(() => ahead(frame, [{ t: "action", action: "JUMP" }], 1)).to.throw(RangeError, "JUMP");
      for (const ticks of [-1, 0.5, 1201]) expect(() => ahead(frame, [], ticks)).to.throw(RangeError, "whole number");
      expect(() => ahead({ ...frame, exact: {} }, [], 1)).to.throw(RangeError, "tickHz");
      const { exact: _, ...older } = frame;
      expect(ahead(older, [], 5)).to.equal(older);
    });
  });
}
