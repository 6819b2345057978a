import { expect } from "chai";
import { ahead, steerAhead } from "../../client/index.ts";
import type { Bot, PlayFrame } from "../../games/game.ts";
import { games } from "../../games/index.ts";
import { getQuantile, playBot, toInputCodes, toPlayFrame, toSeed } from "../../scripts/evaluate/play.ts";

const TICKS = 12;

/**
 * The frame without the session's fields, and without entities that came into sight after the tick of the
 * prediction.
 */
const withoutNew = (frame: PlayFrame, ids: ReadonlySet<number>): object => ({
  ...frame,
  tMs: 0,
  score: frame.score.current,
  entities: frame.entities.filter(({ id }) => ids.has(id)),
});

for (const game of games.filter(({ resume }) => resume !== undefined)) {
  describe(`looking ahead in ${game.slug}`, () => {
    for (const tickHz of [10, 20, 60]) {
      it(`returns the frame that the server sends ${TICKS} ticks later, at ${tickHz} ticks a second`, () => {
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
      });
    }

    it("needs only what the frame shows: the course beyond the horizon stays hidden", () => {
      const { state } = playBot(game, toSeed(3), game.bots.random(1));
      const resumed = game.resume!(toPlayFrame(game, state)) as unknown as { course: { random: { key: unknown } } };
      expect(resumed.course.random.key).to.deep.equal([]);
    });

    it("reports what is wrong with a frame or an argument", () => {
      const frame = toPlayFrame(game, game.init(toSeed(1), game.tickHz));
      expect(() => ahead(frame, [{ t: "action", action: "JUMP" }], 1)).to.throw(RangeError, "JUMP");
      for (const ticks of [-1, 0.5, 1201]) expect(() => ahead(frame, [], ticks)).to.throw(RangeError, "whole number");
      expect(() => ahead({ ...frame, exact: {} }, [], 1)).to.throw(RangeError, "tickHz");
      const { exact: _, ...older } = frame;
      expect(ahead(older, [], 5)).to.equal(older);
    });

    it("keeps the reference bot's points when its answers are late by a delay that it measures", () => {
      const play = (seed: number, bot: Bot, delayTicks: number): number => {
        const state = game.init(toSeed(seed), game.tickHz);
        const onTheWay = Array.from({ length: delayTicks }, () => null as ReturnType<Bot>);
        let ackSeq = 0;
        while (!state.over) {
          onTheWay.push(bot({ ...toPlayFrame(game, state), ackSeq }));
          const message = onTheWay.shift() as (ReturnType<Bot> & { readonly seq?: number }) | null;
          game.step(state, toInputCodes(game, message));
          ackSeq = message?.seq ?? ackSeq;
        }
        return state.score;
      };
      const seeds = Array.from({ length: 11 }, (_, seed) => seed);
      const getMedian = (bot: () => Bot, delay: number): number =>
        getQuantile(seeds.map((seed) => play(seed, bot(), delay)), 0.5); // biome-ignore format: short
      const near = getMedian(game.bots.reference, 0);
      expect(getMedian(() => steerAhead(game.bots.reference()), 0)).to.equal(near);
      for (const delay of [2, 6]) {
        expect(getMedian(() => steerAhead(game.bots.reference()), delay)).to.be.above(0.8 * near);
        expect(getMedian(game.bots.reference, delay)).to.be.below(0.5 * near);
      }
    });
  });
}
