import { expect } from "chai";
import { type Env, makeEnv, makeVectorEnv } from "../../client/training/index.ts";
import { games } from "../../games/index.ts";
import { toInputCodes, toPlayFrame, toSeed } from "../../scripts/evaluate/play.ts";

/** Actions that look like play: each is kept for some ticks. */
function* generateActions(env: Env, seed: number): Generator<number> {
  for (let word = seed + 1; ; ) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0;
    const action = (word >>> 16) % env.actions.length;
    for (let tick = 0; tick <= (word >>> 8) % 9; tick += 1) yield action;
  }
}

/** Plays one run to its end and returns its rewards and its first observation. */
function playRun(env: Env, seed: number): number[] {
  env.reset(seed);
  const rewards: number[] = [];
  for (const action of generateActions(env, seed)) {
    const { observation, reward, terminated, truncated } = env.step(action);
    rewards.push(reward, observation[0]!, observation.at(-1)!);
    if (terminated || truncated) break;
  }
  return rewards;
}

describe("the training environments", () => {
  for (const game of games) {
    describe(game.slug, () => {
      it("keeps every number of an observation in its range with every bot", () => {
        const { fields, write } = game.observation!;
        const out = new Float32Array(fields.length + 1).fill(Number.NaN);
        for (const bot of ["reference", "random"] as const) {
          for (let seed = 0; seed < 8; seed += 1) {
            const player = game.bots[bot](seed);
            const state = game.init(toSeed(seed), game.tickHz);
            while (!state.over) {
              game.step(state, toInputCodes(game, player(toPlayFrame(game, state))));
              write(state, out, 0);
              const wrong = fields.findIndex(({ low, high }, index) => !(out[index]! >= low && out[index]! <= high));
              if (wrong >= 0)
                expect.fail(`${fields[wrong]!.name} is ${out[wrong]} at tick ${state.tick} of seed ${seed}`);
            }
          }
        }
        expect(out.at(-1), "behind the last field").to.deep.equal(Number.NaN);
        expect(new Set(fields.map(({ name }) => name)).size).to.equal(fields.length);
      });

      it("shows nothing of the course beyond the horizon", () => {
        const state = game.init(toSeed(1), game.tickHz) as ReturnType<typeof game.init> & { course: unknown };
        const { fields, write } = game.observation!;
        const [before, after] = [new Float32Array(fields.length), new Float32Array(fields.length)];
        write(state, before, 0);
        state.course = null;
        write(state, after, 0);
        expect(after).to.deep.equal(before);
      });

      it("plays by the server's rules: the same actions give the same score", () => {
        const env = makeEnv(game.slug);
        const seed = new Uint8Array(32).fill(7);
        const state = game.init(seed, game.tickHz);
        let score = env.reset(seed).info.score;
        for (const action of generateActions(env, 7)) {
          game.step(state, toInputCodes(game, env.actions[action]!));
          const { info, reward, terminated } = env.step(action);
          score += reward;
          const { tick, lives, over } = state;
          expect({ ...info, terminated }).to.deep.equal({ tick, score: state.score, lives, terminated: over });
          if (over) break;
        }
        expect(score).to.equal(state.score);
      });

      it("gives the same run for the same seed, and a different one for another seed", () => {
        const env = makeEnv(game.slug);
        const first = playRun(env, 5);
        expect(playRun(env, 5)).to.deep.equal(first);
        expect(playRun(env, 6)).to.not.deep.equal(first);
      });

      it("plays a step of several ticks as the server does when a bot answers only the first of them", () => {
        const [env, single] = [
          makeEnv(game.slug, { ticksPerStep: 4, maxSeconds: 20 }),
          makeEnv(game.slug, { maxSeconds: 20 }),
        ];
        const idle = game.inputs.findIndex(({ mode }) => mode === "idle");
        env.reset(3);
        single.reset(3);
        for (const action of generateActions(env, 3)) {
          const step = env.step(action);
          let expected = single.step(action);
          let { reward } = expected;
          for (let tick = 1; tick < 4 && !expected.terminated && !expected.truncated; tick++) {
            expected = single.step(idle < 0 ? action : idle);
            reward += expected.reward;
          }
          expect(step).to.deep.equal({ ...expected, reward });
          if (step.terminated || step.truncated) break;
        }
        expect(() => env.step(0)).to.throw("the run is over");
      });

      it("plays many runs at once like single ones, and starts the next when one ends", () => {
        const COUNT = 3;
        const env = makeVectorEnv(game.slug, COUNT, { maxSeconds: 20 });
        let seed = 0;
        env.reset(() => seed++);
        const actors = Array.from({ length: COUNT }, (_, index) => generateActions(makeEnv(game.slug), index));
        const singles = Array.from({ length: COUNT }, () => makeEnv(game.slug, { maxSeconds: 20 }));
        singles.forEach((single, index) => void single.reset(index));
        let nextSeed = COUNT;
        let ended = 0;
        for (let tick = 0; tick < 450; tick += 1) {
          const actions = actors.map((actor) => actor.next().value);
          const result = env.step(actions);
          const finalScores: number[] = [];
          for (const [index, single] of singles.entries()) {
            const step = single.step(actions[index]!);
            const { terminated, truncated, info, reward } = step;
            let { observation } = step;
            if (terminated || truncated) {
              finalScores.push(info.score);
              observation = single.reset(nextSeed++).observation;
            }
            const size = env.observationFields.length;
            expect(result.observations.slice(index * size, (index + 1) * size)).to.deep.equal(observation);
            expect([result.rewards[index], result.terminated[index], result.truncated[index]]).to.deep.equal([
              reward,
              Number(terminated),
              Number(truncated),
            ]);
          }
          expect(result.finalScores).to.deep.equal(finalScores);
          ended += finalScores.length;
        }
        expect(ended).to.be.greaterThan(0);
        expect(seed).to.equal(COUNT + ended);
      });
    });
  }

  it("ends a run at its time limit as truncated, not as lost", () => {
    const env = makeEnv(games[0]!.slug, { maxSeconds: 1 });
    env.reset(1);
    const results = Array.from({ length: env.tickHz }, () => env.step(0));
    expect(results.at(-1)).to.include({ truncated: true, terminated: false });
    expect(results.slice(0, -1).some(({ truncated }) => truncated)).to.equal(false);
    expect(() => env.step(0)).to.throw("call reset(seed)");
  });

  it("reports what a wrong argument should have been", () => {
    expect(() => makeEnv("chess")).to.throw(RangeError, 'as the game, received "chess"');
    expect(() => makeEnv("flappybots", { tickHz: 7 }).reset(1)).to.throw(RangeError, "tickHz 7");
    expect(() => makeEnv("flappybots", { maxSeconds: 1801 })).to.throw(RangeError, "at most 1800");
    for (const ticksPerStep of [0, 1.5, 101])
      expect(() => makeEnv("flappybots", { ticksPerStep })).to.throw(RangeError, `1 to 100, received ${ticksPerStep}`);
    expect(() => makeVectorEnv("flappybots", 0)).to.throw(RangeError, "from 1 on");
    const env = makeEnv("flappybots");
    expect(() => env.step(0)).to.throw("call reset(seed) first");
    expect(() => env.reset(-1)).to.throw(RangeError, "whole number from 0");
    expect(() => env.reset(new Uint8Array(31))).to.throw(RangeError, "32 bytes, not 31");
    env.reset(1);
    expect(() => env.step(2)).to.throw(RangeError, "from 0 to 1, not 2");
    const vector = makeVectorEnv("flappybots", 2);
    expect(() => vector.step([0, 0])).to.throw("no run is going on");
    vector.reset(() => 1);
    expect(() => vector.step([0])).to.throw(RangeError, "one action for each of 2 runs, not 1");
  });
});
