import { expect } from "chai";
import { seedRandom } from "../../games/random.ts";
import { shellrunners } from "../../games/shellrunners/game.ts";
import { getScrollSpeed } from "../../games/shellrunners/sim.ts";
import type { ShellrunnersState } from "../../games/shellrunners/state.ts";
import {
  createCourse,
  extendCourse,
  FEEDING_SPACING,
  getLaneHalfWidth,
  PAWN,
  ROW_SPACING,
  SIDE_SPEED_MAX,
  SIZES,
  type Thing,
  type ThingKind,
} from "../../games/shellrunners/world.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";
import { courseSearchSpaces } from "./planner.ts";

const { step, frame } = shellrunners;

/** A run on an empty bank, to which the generator adds nothing. */
function createEmptyBank(tickHz = 20): ShellrunnersState {
  const state = shellrunners.init(toSeed(1), tickHz);
  state.things = [];
  state.course.nextRowAt = Number.MAX_SAFE_INTEGER;
  return state;
}

function addThing(state: ShellrunnersState, kind: ThingKind, ahead: number, sideways: number, swing = 0): Thing {
  const position = { at: state.distance + ahead, x: 240 + sideways };
  const thing: Thing = {
    id: 900 + state.things.length,
    kind,
    ...position,
    swing,
    periodBeats: 240,
    phaseBeats: 0,
    clearance: 999,
  };
  state.things.push(thing);
  return thing;
}

/** Continues without new input and returns all events. */
function runTicks(state: ShellrunnersState, ticks: number, codes: readonly number[] = []): string[] {
  const events: string[] = [];
  for (let i = 0; i < ticks; i += 1) {
    step(state, i === 0 ? codes : []);
    events.push(...state.events.map(({ event }) => event));
  }
  return events;
}

describe("shellrunners", () => {
  it("holds a direction until another comes, with momentum, up to a top speed", () => {
    const state = createEmptyBank();
    runTicks(state, 2, [2]);
    const early = frame(state).pawn;
    runTicks(state, 3);
    const late = frame(state).pawn;
    expect(early.velocityX).to.be.within(1, SIDE_SPEED_MAX - 1);
    expect(late).to.include({ velocityX: SIDE_SPEED_MAX, dir: "right" });
    step(state, [0]);
    expect(frame(state).pawn.velocityX).to.be.within(1, SIDE_SPEED_MAX - 1);
    expect(frame(state).pawn.x).to.be.above(late.x);
    runTicks(state, 10);
    expect(frame(state).pawn).to.include({ velocityX: 0, dir: "none" });
    runTicks(state, 4, [1]);
    expect(frame(state).pawn).to.include({ dir: "left" });
    expect(frame(state).pawn.velocityX).to.be.below(0);
  });

  it("stops at the banks", () => {
    const state = createEmptyBank();
    runTicks(state, 40, [1]);
    expect(frame(state).pawn).to.include({ x: PAWN.w / 2, velocityX: 0 });
    runTicks(state, 60, [2]);
    expect(frame(state).pawn).to.include({ x: 480 - PAWN.w / 2, velocityX: 0 });
  });

  it("takes one life for an obstacle, and then makes the runner invulnerable for two seconds", () => {
    const state = createEmptyBank();
    for (const ahead of [60, 130, 200, 270]) addThing(state, "rock", ahead, 0);
    expect(runTicks(state, 40).filter((event) => event === "life_lost")).to.have.length(1);
    expect(state.lives).to.equal(2);
    addThing(state, "log", 60, 30);
    runTicks(state, 20);
    expect(state.lives).to.equal(1);
    expect(frame(state).extra).to.include({ streak: 0, gameOverReason: null });
    state.safeBeats = 0;
    addThing(state, "log", 60, -30);
    runTicks(state, 20);
    expect(state).to.include({ lives: 0, over: true, gameOverReason: "log" });
  });

  it("collides exactly with the boxes of the frame", () => {
    const touching = createEmptyBank();
    addThing(touching, "rock", 60, 45);
    runTicks(touching, 20);
    const beside = createEmptyBank();
    addThing(beside, "rock", 60, 46);
    runTicks(beside, 20);
    expect([touching.lives, beside.lives]).to.deep.equal([2, 3]);
  });

  it("scores obstacles by the streak, and near misses twice, from the fifth obstacle on", () => {
    const state = createEmptyBank();
    addThing(state, "rock", 60, 46 + 14);
    expect(runTicks(state, 20)).to.deep.equal(["near_miss"]);
    expect(state).to.include({ score: 0, streak: 1, nearMisses: 1 });
    state.streak = 4;
    addThing(state, "rock", 60, 46 + 15);
    expect(runTicks(state, 20)).to.deep.equal([]);
    expect(state).to.include({ score: 1, streak: 5, nearMisses: 1 });
    state.streak = 19;
    addThing(state, "rock", 60, 46 + 14);
    expect(runTicks(state, 20)).to.deep.equal(["near_miss", "streak"]);
    expect(state.score).to.equal(1 + 2 + 2);
    state.streak = 10_000;
    addThing(state, "rock", 60, 150);
    runTicks(state, 20);
    expect(state.score).to.equal(5 + 30);
    expect(frame(state).extra).to.include({ combo: 30 });
  });

  it("scores nothing for running, and nothing for obstacles passed while unhurt", () => {
    const state = createEmptyBank();
    state.streak = 50;
    state.safeBeats = 120;
    addThing(state, "rock", 60, 150);
    runTicks(state, 30);
    expect(state).to.include({ score: 0, streak: 50 });
    runTicks(state, 300);
    expect(state.score).to.equal(0);
  });

  it("eats starfish and collects pearls, for two and three times the combo", () => {
    const state = createEmptyBank();
    state.hunger = 500;
    state.streak = 35;
    addThing(state, "starfish", 60, 0);
    addThing(state, "pearl", 90, 0);
    expect(runTicks(state, 20)).to.deep.equal(["collected", "collected"]);
    expect(state.hunger).to.be.below(60);
    expect(state.score).to.equal(3 * 3 + 2 * 3);
    expect(frame(state).entities).to.deep.equal([]);
  });

  it("runs faster for double points, slower, and behind a shield, each for its time", () => {
    const state = createEmptyBank();
    const normalSpeed = getScrollSpeed(state);
    addThing(state, "power_speed", 40, 0);
    expect(runTicks(state, 8)).to.deep.equal(["power_up"]);
    expect(getScrollSpeed(state)).to.equal(Math.floor((normalSpeed * 5) / 4));
    expect(frame(state).extra).to.deep.include({ multiplier: 2 });
    expect(runTicks(state, 100)).to.deep.equal(["power_down"]);
    expect(frame(state).extra).to.deep.include({ multiplier: 1, powerUps: { speedMs: 0, shieldMs: 0, slowMs: 0 } });

    addThing(state, "power_slow", 40, 0);
    runTicks(state, 8);
    expect(getScrollSpeed(state)).to.be.below(normalSpeed);

    addThing(state, "power_shield", 40, 0);
    addThing(state, "rock", 160, 0);
    expect(runTicks(state, 40)).to.deep.equal(["power_up", "power_down"]);
    expect(state.lives).to.equal(3);
    addThing(state, "rock", 40, 0);
    runTicks(state, 4);
    expect(state.lives, "a broken shield protects for one more second").to.equal(3);
  });

  it("lets drifting obstacles swing by their velocity", () => {
    const state = createEmptyBank();
    addThing(state, "log", 700, 0, 60);
    const before = frame(state).entities[0]!;
    step(state, []);
    const after = frame(state).entities[0]!;
    expect(after.x - before.x).to.equal(before.vx! / 20);
  });

  it("keeps every obstacle's whole sweep on the bank and out of the lane, and lanes within reach of each other", () => {
    const course = createCourse(seedRandom(toSeed(5)));
    course.nextRowAt = 50_000;
    for (let row = 0; row < 400; row += 1) {
      const lane = course.laneX;
      const things: Thing[] = [];
      const rowAt = course.nextRowAt;
      extendCourse(course, things);
      expect(course.nextRowAt - rowAt).to.be.oneOf([ROW_SPACING, FEEDING_SPACING]);
      expect(Math.abs(course.laneX - lane)).to.be.at.most(140);
      for (const { kind, x, swing, at } of things) {
        const reach = swing + SIZES[kind].w / 2;
        expect([x - reach >= 0, x + reach <= 480], `${kind} at ${at}`).to.deep.equal([true, true]);
        if (kind !== "rock" && kind !== "log") continue;
        expect(Math.abs(x - course.laneX) - reach).to.be.at.least(getLaneHalfWidth(at));
      }
    }
  });

  it("shows at least 1.5 s of travel ahead at full speed", () => {
    const state = courseSearchSpaces[0]!.startAt(1, 80_000) as ShellrunnersState;
    state.speedBeats = 300;
    for (let i = 0; i < 100; i += 1) {
      step(state, []);
      expect(state.course.nextRowAt - FEEDING_SPACING - state.distance).to.be.at.least(1.5 * getScrollSpeed(state));
    }
  });

  it("is the same game at 20, 30 and 60 ticks a second", () => {
    const [slow, ...others] = [20, 30, 60].map((tickHz) => {
      const state = shellrunners.init(toSeed(4), tickHz);
      runTicks(state, tickHz * 2, [2]);
      runTicks(state, tickHz * 2, [1]);
      runTicks(state, tickHz, [0]);
      return state;
    });
    for (const state of others) {
      expect(state.course).to.deep.equal(slow!.course);
      expect(state.distance).to.be.closeTo(slow!.distance, 2);
      expect(frame(state).pawn.x).to.be.closeTo(frame(slow!).pawn.x, 8);
      expect(state).to.include({ hunger: slow!.hunger, lives: slow!.lives, clockBeats: 300 });
    }
  });
});
