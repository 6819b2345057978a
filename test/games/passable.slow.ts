import { expect } from "chai";
import { toSeed } from "../../scripts/evaluate/play.ts";
import { games } from "../fixtures/games.ts";
import { countPassableTicks, courseSearchSpaces, createSearchSpace } from "./planner.ts";

/** From the start to farther than the bots in the table of docs/games.md get. */
const DISTANCES = [0, 12_000, 60_000];
const SEEDS = [1, 2, 3];
const TICKS = 160;
/** From the start of a run and with a narrow search, because the state of an arbitrary game is slow to copy. */
const SEARCH_FROM_START = { seconds: 40, width: 60 };

describe("every generated stretch can be passed", () => {
  for (const game of games) {
    if (courseSearchSpaces.some((space) => space.game.slug === game.slug)) continue;
    it(`${game.slug} from its start, with the generic search`, () => {
      const ticks = SEARCH_FROM_START.seconds * game.tickHz;
      for (const seed of SEEDS) {
        const start = game.init(toSeed(seed), game.tickHz);
        expect(
          countPassableTicks(createSearchSpace(game), start, ticks, SEARCH_FROM_START.width),
          `seed ${seed}`,
        ).to.equal(ticks);
      }
    });
  }

  for (const space of courseSearchSpaces) {
    for (const distance of DISTANCES) {
      it(`${space.game.slug} from distance ${distance}`, () => {
        for (const seed of SEEDS) {
          const passed = countPassableTicks(space, space.startAt(seed, distance), TICKS);
          expect(passed, `seed ${seed}`).to.equal(TICKS);
        }
      });
    }
  }
});
