import { expect } from "chai";
import { games } from "../fixtures/games.ts";
import { seedOf } from "./helpers.ts";
import { groundOf, passableTicks, playgrounds } from "./planner.ts";

/** The hardest distance is beyond the point from which the shape of the course no longer changes. */
const DISTANCES = [0, 12_000, 60_000];
const SEEDS = [1, 2, 3];
const TICKS = 160;
/** From the start of a run, and so narrow a search, because a state of any game is slow to copy. */
const FROM_START = { seconds: 40, width: 60 };

describe("every generated stretch can be passed", () => {
  for (const game of games) {
    if (playgrounds.some((ground) => ground.game.slug === game.slug)) continue;
    it(`${game.slug} from its start, by what every game has`, () => {
      const ticks = FROM_START.seconds * game.tickHz;
      for (const seed of SEEDS) {
        const start = game.init(seedOf(seed), game.tickHz);
        expect(passableTicks(groundOf(game), start, ticks, FROM_START.width), `seed ${seed}`).to.equal(ticks);
      }
    }).timeout(60_000);
  }

  for (const ground of playgrounds) {
    for (const distance of DISTANCES) {
      it(`${ground.game.slug} from distance ${distance}`, () => {
        for (const seed of SEEDS) {
          const passed = passableTicks(ground, ground.startAt(seed, distance), TICKS);
          expect(passed, `seed ${seed}`).to.equal(TICKS);
        }
      }).timeout(20_000);
    }
  }
});
