/** Guarantees of both games' courses: they become harder as long as a run can last, and food is risky. */
import { expect } from "chai";
import type { FlappybotsState } from "../../games/flappybots/sim.ts";
import * as flappy from "../../games/flappybots/world.ts";
import type { GameState } from "../../games/game.ts";
import { seedRandom } from "../../games/random.ts";
import type { ShellrunnersState } from "../../games/shellrunners/state.ts";
import * as shell from "../../games/shellrunners/world.ts";
import { toInputCodes, toPlayFrame, toSeed } from "../../scripts/evaluate/play.ts";
import { type CourseSearchSpace, courseSearchSpaces } from "./planner.ts";

const COURSES = 1000;
/** Pieces of each course at each distance: enough for one food at least. */
const PIECES = 6;
/** From the start to farther than the better bots get. Runs of an invulnerable player end beyond it. */
const DISTANCES = [0, 10_000, 30_000, 80_000, 200_000];
/** For measuring the lives that food costs. */
const RISK = { seeds: 12, seconds: 90 };

/** A course at a distance: numbers that grow with difficulty, and how far each food is from the path. */
interface Measured {
  readonly hardness: { readonly [measure: string]: number };
  readonly detours: readonly number[];
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const eachCourse = <Piece>(list: (seed: number) => readonly Piece[]): Piece[] =>
  Array.from({ length: COURSES }, (_, seed) => list(seed)).flat();

/** The next gates of a course entered at a distance, each with the path to it and the battery beside that. */
function listGates(seed: number, distance: number) {
  const course = flappy.createCourse(seedRandom(toSeed(seed)));
  course.nextGateAt = Math.max(course.nextGateAt, distance);
  return Array.from({ length: PIECES }, () => {
    const gates: flappy.Gate[] = [];
    const items: flappy.Item[] = [];
    const { lastY } = course;
    flappy.extendCourse(course, gates, items);
    return { gate: gates[0]!, wayY: (lastY + gates[0]!.y) / 2, food: items.find(({ kind }) => kind === "battery") };
  });
}

/** The path is the straight line between the centers of two openings at rest. */
function measureGates(distance: number): Measured {
  const gates = eachCourse((seed) => listGates(seed, distance));
  const reach = (flappy.ITEM_SIZES.battery.h + flappy.PAWN.h) / 2;
  return {
    hardness: {
      speed: flappy.getScrollSpeed(distance),
      hunger: flappy.getHungerRate(distance),
      "how narrow the openings are": -mean(gates.map(({ gate }) => gate.gap)),
      "how far the openings swing": mean(gates.map(({ gate }) => gate.swing)),
    },
    detours: gates.flatMap(({ food, wayY }) => (food === undefined ? [] : [Math.abs(food.y - wayY) - reach])),
  };
}

/** The next rows of a bank entered at a distance, each with the path to its lane and the starfish beside that. */
function listRows(seed: number, distance: number) {
  const course = shell.createCourse(seedRandom(toSeed(seed)));
  course.nextRowAt = Math.max(course.nextRowAt, distance);
  return Array.from({ length: PIECES }, () => {
    const things: shell.Thing[] = [];
    const lastLaneX = course.laneX;
    shell.extendCourse(course, things);
    const drifting = things.filter(({ swing }) => swing > 0);
    const food = things.find(({ kind }) => kind === "starfish");
    return { drifting, wayX: (lastLaneX + course.laneX) / 2, food };
  });
}

/** The path is the straight line between the centers of two lanes. */
function measureRows(distance: number): Measured {
  const rows = eachCourse((seed) => listRows(seed, distance));
  const reach = (shell.SIZES.starfish.w + shell.PAWN.w) / 2;
  return {
    hardness: {
      speed: shell.getBaseSpeed(distance),
      hunger: shell.getHungerRate(distance),
      "how narrow the lane is": -shell.getLaneHalfWidth(distance),
      "how many obstacles swing": mean(rows.map(({ drifting }) => drifting.length)),
    },
    detours: rows.flatMap(({ food, wayX }) => (food === undefined ? [] : [Math.abs(food.x - wayX) - reach])),
  };
}

const MEASURE: { readonly [slug: string]: (distance: number) => Measured } = {
  flappybots: measureGates,
  shellrunners: measureRows,
};
/** The rates at each place, for any seed. */
const RATES: { readonly [slug: string]: readonly ((distance: number) => number)[] } = {
  flappybots: [flappy.getScrollSpeed, flappy.getHungerRate],
  shellrunners: [shell.getBaseSpeed, shell.getHungerRate, (distance) => -shell.getLaneHalfWidth(distance)],
};

/** The lives lost by a reference bot that is always hungry, gets every life back, and sees food or not. */
function countLostLives({ game }: CourseSearchSpace, seesFood: boolean): number {
  let lost = 0;
  for (let seed = 0; seed < RISK.seeds; seed += 1) {
    const state = game.init(toSeed(seed), game.tickHz) as GameState & { hungerSub: number };
    const bot = game.bots.reference();
    while (state.tick < RISK.seconds * game.tickHz) {
      Object.assign(state, { lives: game.livesMax, hunger: game.hungerMax / 2, hungerSub: 0 });
      const frame = toPlayFrame(game, state);
      const entities = frame.entities.filter((entity) => seesFood || entity.class !== "food");
      game.step(state, toInputCodes(game, bot({ ...frame, entities })));
      lost += state.events.filter(({ event }) => event === "life_lost").length;
    }
  }
  return lost;
}

for (const space of courseSearchSpaces) {
  const { game } = space;

  describe(`difficulty of ${game.slug}`, () => {
    let measured: readonly Measured[];
    before(() => {
      measured = DISTANCES.map(MEASURE[game.slug]!);
    });

    it("rises in everything that makes the course hard, from the start to farther than the better bots get", () => {
      for (const name of Object.keys(measured[0]!.hardness)) {
        const values = measured.map(({ hardness }) => hardness[name]!);
        expect(values, name).to.deep.equal([...new Set(values)].sort((a, b) => a - b));
      }
    });

    it("never falls, and hunger still rises when an invulnerable player that misses no food ends", () => {
      const state = game.init(toSeed(9), game.tickHz) as FlappybotsState | ShellrunnersState;
      const getRates = (): number[] => RATES[game.slug]!.map((getRate) => getRate(state.distance));
      let rates = getRates();
      while (!state.over) {
        space.keepAlive(state);
        game.step(state, []);
        const next = getRates();
        expect(
          next.every((rate, index) => rate >= rates[index]!),
          `at ${state.distance}`,
        ).to.equal(true);
        rates = next;
      }
      expect(state.distance).to.be.above(DISTANCES.at(-1)!);
      const [, getHungerRate] = RATES[game.slug]!;
      expect(getHungerRate!(state.distance)).to.be.above(getHungerRate!(state.distance - 2000));
    });

    it("food is out of reach of the path, on 1,000 courses at every distance", () => {
      for (const [index, { detours }] of measured.entries()) {
        expect(detours.length, `foods at ${DISTANCES[index]}`).to.be.at.least(COURSES);
        expect(Math.min(...detours), `least detour at ${DISTANCES[index]}`).to.be.above(0);
      }
    });

    it("food costs lives: a bot that goes for it loses more than one that does not see it", () => {
      expect(countLostLives(space, true)).to.be.above(countLostLives(space, false));
    });
  });
}
