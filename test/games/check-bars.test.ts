/** The check of the bars: it tolerates outliers among few seeds, but detects a worse game. */
import { expect } from "chai";
import type { Game } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { LATER_SEEDS, listMissedBars } from "./check-bars.ts";
import { type Bar, MEASURES, type Measure, type Sizes } from "./measure-bars.ts";

const game = findGame("flappybots") as Game;
const SIZES: Sizes = {
  seeds: 12,
  planned: 5,
  delayed: 1,
  share: { seeds: 2, runs: 2, unanswered: 0.15 },
  limits: { unfed: 66, ofHunger: 75, ratio: 3, share: 0.45, kept: 85 },
};

/** Measures one bar for each list of verdicts, with one verdict per try. */
function createMeasure(verdicts: { readonly [name: string]: readonly boolean[] }) {
  const masters: string[] = [];
  const seeds: number[] = [];
  const measure: Measure = (_, master, sizes) => {
    masters.push(master);
    seeds.push(sizes.seeds);
    return Object.entries(verdicts).map(
      ([name, all]): Bar => ({ name, bar: "1", value: "2", isMet: all[masters.length - 1]! }),
    );
  };
  return { masters, seeds, measure };
}

function check(...measures: readonly Measure[]) {
  const lines: string[] = [];
  const missed = listMissedBars(game, "seeds", SIZES, (line) => lines.push(line), measures);
  return { missed: missed.map(({ name }) => name), lines };
}

describe("check of the bars of the games", () => {
  it("is green when a bar is missed once and then holds, and only repeats that part, on other seeds", () => {
    const unlucky = createMeasure({ better: [false, true] });
    const lucky = createMeasure({ idle: [true] });
    const { missed, lines } = check(unlucky.measure, lucky.measure);
    expect(missed).to.deep.equal([]);
    expect(lines.map((line) => line.split(": ", 2).join(": "))).to.deep.equal([
      "flappybots, try 1: MISSED",
      "flappybots, try 2: met",
      "flappybots, try 1: met",
    ]);
    expect(new Set(unlucky.masters)).to.have.property("size", 2);
    expect(lucky.masters).to.have.length(1);
  });

  it("is red when a bar is missed in every try, the later ones on more seeds", () => {
    const { seeds, measure } = createMeasure({ better: [false, false, false] });
    expect(check(measure).missed).to.deep.equal(["better"]);
    expect(seeds).to.deep.equal([SIZES.seeds, LATER_SEEDS * SIZES.seeds, LATER_SEEDS * SIZES.seeds]);
  });

  it("judges each bar by its own tries", () => {
    const { measure } = createMeasure({ ratio: [false, true, true], ends: [true, false, false] });
    expect(check(measure).missed).to.deep.equal([]);
  });

  it("finds a planner that is not better than the reference bot, and random moves that reach the first tier", () => {
    const { reference } = game.bots;
    const worse: Game = { ...game, bots: { ...game.bots, better: reference, random: reference } };
    const missed = listMissedBars(worse, "worse", SIZES, () => undefined, MEASURES);
    expect(missed.map(({ name }) => name)).to.include.members([
      "better: median points, of the reference bot's",
      "random: first tier",
    ]);
  });
});
