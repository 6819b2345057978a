import { expect } from "chai";
import type { Bot } from "../../games/game.ts";
import { games } from "../../games/index.ts";
import { type BotRun, getQuantile, playBot, toInputCodes, toPlayFrame, toSeed } from "../../scripts/evaluate/play.ts";
import { courseSearchSpaces } from "./planner.ts";

const SEEDS = Array.from({ length: 30 }, (_, i) => i);

/** The games whose bots have these figures; another game tests its own beside its rules. */
const MEASURED = ["shellrunners", "flappybots"];

for (const game of games.filter(({ slug }) => MEASURED.includes(slug))) {
  const playAll = (createBot: (seed: number) => Bot, tickHz = game.tickHz): BotRun[] =>
    SEEDS.map((seed) => playBot(game, toSeed(seed), createBot(seed), tickHz));
  const seconds = (runs: readonly BotRun[], fraction: number): number => {
    const all = runs.map((run) => run.seconds);
    return getQuantile(all, fraction);
  };

  describe(`bots of ${game.slug}`, () => {
    it("reference: about two minutes, and the first tier after about 20 s", () => {
      const runs = playAll(game.bots.reference);
      expect(seconds(runs, 0.5)).to.be.within(90, 150);
      expect(seconds(runs, 1)).to.be.below(300);
      const reached = runs.flatMap((run) => run.tier1Seconds ?? []);
      expect(reached).to.have.length(SEEDS.length);
      expect(getQuantile(reached, 0.5)).to.be.within(15, 25);
    });

    it("reference: plays as well at 30 and 60 ticks a second", () => {
      for (const tickHz of [30, 60]) {
        const runs = SEEDS.slice(0, 8).map((seed) => playBot(game, toSeed(seed), game.bots.reference(), tickHz));
        expect(seconds(runs, 0.5)).to.be.within(80, 170);
      }
    });

    it("random: about ten seconds, and usually no tier", () => {
      const runs = playAll(game.bots.random);
      expect(seconds(runs, 0.5)).to.be.within(7, 16);
      expect(runs.filter((run) => run.tier1Seconds !== null).length).to.be.below(SEEDS.length / 10);
    });

    it("random: the same seed gives the same moves", () => {
      const [first, second] = [1, 2].map(() => playBot(game, toSeed(1), game.bots.random(7)).inputs);
      expect(second).to.deep.equal(first);
      expect(playBot(game, toSeed(1), game.bots.random(8)).inputs).not.to.deep.equal(first);
    });

    it("quick: plays for the given time and then ends soon", () => {
      const runs = playAll(() => game.bots.quick!());
      expect(seconds(runs, 0)).to.be.at.least(8);
      expect(seconds(runs, 1)).to.be.below(25);
      const longer = playAll(() => game.bots.quick!(24_000));
      expect(longer.filter((run) => run.tier1Seconds !== null).length).to.be.above(SEEDS.length * 0.9);
      expect(seconds(longer, 1)).to.be.below(45);
    });

    it("better: survives obstacles that kill the reference bot", () => {
      const runs = SEEDS.map((seed) => ({ seed, run: playBot(game, toSeed(seed), game.bots.reference()) }));
      const { seed, run } = runs.find((each) => game.frame(each.run.state).extra.gameOverReason !== "starvation")!;
      const state = game.init(toSeed(seed), game.tickHz);
      const takeover = run.inputs.length - 5 * game.tickHz;
      for (const codes of run.inputs.slice(0, takeover)) game.step(state, codes);
      const bot = game.bots.better!();
      while (!state.over && state.tick < run.inputs.length + 2 * game.tickHz)
        game.step(state, toInputCodes(game, bot(toPlayFrame(game, state))));
      expect(run.state.over).to.equal(true);
      expect(state.over).to.equal(false);
    });

    const space = courseSearchSpaces.find((each) => each.game.slug === game.slug);
    if (!space) return;

    it("ends every run: hunger outgrows even an invulnerable player that misses no food", () => {
      const state = game.init(toSeed(9), game.tickHz);
      while (!state.over) {
        space.keepAlive(state);
        game.step(state, []);
        expect(state.tick, "ends within 25 minutes").to.be.below(game.tickHz * 1500);
      }
      expect(game.frame(state).extra.gameOverReason).to.equal("starvation");
    });
  });
}

describe("a bot's view", () => {
  it("is only the frame: the same frame gives the same message", () => {
    for (const game of games) {
      const state = game.init(toSeed(1), game.tickHz);
      const [one, two] = [game.bots.reference(), game.bots.reference()];
      for (let i = 0; i < 100; i += 1) {
        const text = JSON.stringify(toPlayFrame(game, state));
        const message = one(JSON.parse(text));
        expect(two(JSON.parse(text))).to.deep.equal(message);
        game.step(state, toInputCodes(game, message));
      }
    }
  });
});
