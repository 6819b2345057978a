import { expect } from "chai";
import { passableTicks, playgrounds } from "./planner.ts";

/** The hardest distance is beyond the point from which the shape of the course no longer changes. */
const DISTANCES = [0, 12_000, 60_000];
const SEEDS = [1, 2, 3];
const TICKS = 160;

describe("every generated stretch can be passed", () => {
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
