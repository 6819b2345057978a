import { expect } from "chai";
import { makeEnv } from "../../client/training/index.ts";
import { bot } from "../../examples/train/bot.ts";
import { createRandom, type Distribution, improve } from "../../examples/train/cross-entropy.ts";
import { getMedian, playReference } from "../../examples/train/train.ts";
import { createObservationReader, toView } from "../../examples/train/view.ts";
import { findGame } from "../../games/index.ts";
import { playBot, toPlayFrame } from "../../scripts/evaluate/play.ts";

const game = findGame("flappybots")!;
const toSeed = (seed: number): Uint8Array => {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, seed, true);
  return bytes;
};

describe("examples/train", () => {
  it("sees the same in a frame as in an observation, in every tick", () => {
    const read = createObservationReader(makeEnv(game.slug));
    const observation = new Float32Array(game.observation!.fields.length);
    const state = game.init(toSeed(3), game.tickHz);
    let items = 0;
    while (!state.over) {
      game.observation!.write(state, observation, 0);
      const seen = read(observation);
      expect(toView(toPlayFrame(game, state))).to.deep.equal({ ...seen });
      if (seen.gearAhead < 1000) items += 1;
      game.step(state, state.tick % 11 === 0 ? [game.inputs[0]!.code] : []);
    }
    expect(items).to.be.greaterThan(10);
  });

  it("finds the best numbers of a simple score by the cross-entropy method", () => {
    let distribution: Distribution = { means: [0, 0], deviations: [5, 5] };
    const options = { candidates: 50, elite: 10, inertia: 0.1, random: createRandom(7) };
    const score = ([x = 0, y = 0]: readonly number[]) => -((x - 3) ** 2) - (y + 4) ** 2;
    for (let generation = 0; generation < 30; generation++)
      ({ distribution } = improve(distribution, { ...options, score }));
    expect(distribution.means[0]).to.be.closeTo(3, 0.05);
    expect(distribution.means[1]).to.be.closeTo(-4, 0.05);
  });

  it("plays 1.5 times as well as the reference bot on new courses with the stored numbers", () => {
    const seeds = Array.from({ length: 40 }, (_, run) => 1_000_000 + run);
    const policy = getMedian(seeds.map((seed) => playBot(game, toSeed(seed), bot as never).state.score));
    const reference = getMedian(seeds.map(playReference));
    expect(policy / reference).to.be.at.least(1.5);
  });
});
