import { expect } from "chai";
import { seedRandom } from "../../backend/games/random.ts";
import { shellrunners } from "../../backend/games/shellrunners/game.ts";
import { scrollSpeed } from "../../backend/games/shellrunners/sim.ts";
import type { ShellrunnersState } from "../../backend/games/shellrunners/state.ts";
import {
  growCourse,
  laneHalfWidth,
  PAWN,
  ROW_SPACING,
  SIDE_SPEED_MAX,
  SIZES,
  startCourse,
  type Thing,
  type ThingKind,
} from "../../backend/games/shellrunners/world.ts";
import { seedOf } from "./helpers.ts";
import { playgrounds } from "./planner.ts";

const { step, frame } = shellrunners;

/** A run on an empty bank; nothing is generated any more. */
function emptyBank(tickHz = 20): ShellrunnersState {
  const state = shellrunners.init(seedOf(1), tickHz);
  state.things = [];
  state.course.nextRowAt = Number.MAX_SAFE_INTEGER;
  return state;
}

function put(state: ShellrunnersState, kind: ThingKind, ahead: number, sideways: number, swing = 0): Thing {
  const place = { at: state.distance + ahead, x: 240 + sideways };
  const thing: Thing = {
    id: 900 + state.things.length,
    kind,
    ...place,
    swing,
    periodBeats: 240,
    phaseBeats: 0,
    clearance: 999,
  };
  state.things.push(thing);
  return thing;
}

/** Runs on without new input and returns every event on the way. */
function run(state: ShellrunnersState, ticks: number, codes: readonly number[] = []): string[] {
  const events: string[] = [];
  for (let i = 0; i < ticks; i += 1) {
    step(state, i === 0 ? codes : []);
    events.push(...state.events.map(({ event }) => event));
  }
  return events;
}

describe("shellrunners", () => {
  it("holds a direction until another comes, with momentum, up to a top speed", () => {
    const state = emptyBank();
    run(state, 2, [2]);
    const early = frame(state).pawn;
    run(state, 3);
    const late = frame(state).pawn;
    expect(early.velocityX).to.be.within(1, SIDE_SPEED_MAX - 1);
    expect(late).to.include({ velocityX: SIDE_SPEED_MAX, dir: "right" });
    step(state, [0]);
    expect(frame(state).pawn.velocityX).to.be.within(1, SIDE_SPEED_MAX - 1);
    expect(frame(state).pawn.x).to.be.above(late.x);
    run(state, 10);
    expect(frame(state).pawn).to.include({ velocityX: 0, dir: "none" });
    run(state, 4, [1]);
    expect(frame(state).pawn).to.include({ dir: "left" });
    expect(frame(state).pawn.velocityX).to.be.below(0);
  });

  it("stops at the banks", () => {
    const state = emptyBank();
    run(state, 40, [1]);
    expect(frame(state).pawn).to.include({ x: PAWN.w / 2, velocityX: 0 });
    run(state, 60, [2]);
    expect(frame(state).pawn).to.include({ x: 480 - PAWN.w / 2, velocityX: 0 });
  });

  it("takes a life for an obstacle, once, and then leaves the runner unhurt for two seconds", () => {
    const state = emptyBank();
    for (const ahead of [60, 130, 200, 270]) put(state, "rock", ahead, 0);
    expect(run(state, 40).filter((event) => event === "life_lost")).to.have.length(1);
    expect(state.lives).to.equal(2);
    put(state, "log", 60, 30);
    run(state, 20);
    expect(state.lives).to.equal(1);
    expect(frame(state).extra).to.include({ streak: 0, gameOverReason: null });
    state.safeBeats = 0;
    put(state, "log", 60, -30);
    run(state, 20);
    expect(state).to.include({ lives: 0, over: true, gameOverReason: "log" });
  });

  it("collides exactly with the boxes of the frame", () => {
    const touching = emptyBank();
    put(touching, "rock", 60, 45);
    run(touching, 20);
    const beside = emptyBank();
    put(beside, "rock", 60, 46);
    run(beside, 20);
    expect([touching.lives, beside.lives]).to.deep.equal([2, 3]);
  });

  it("scores distance, near misses and streaks", () => {
    const state = emptyBank();
    put(state, "rock", 60, 46 + 14);
    expect(run(state, 20)).to.deep.equal(["near_miss"]);
    put(state, "rock", 60, 46 + 15);
    expect(run(state, 20)).to.deep.equal([]);
    const points = Math.floor(state.distance / 20) + 5;
    expect(state).to.include({ score: points, streak: 2, nearMisses: 1 });
    state.streak = 9;
    put(state, "rock", 60, 150);
    expect(run(state, 20)).to.deep.equal(["streak"]);
    expect(state.score).to.equal(Math.floor(state.distance / 20) + 5 + 10);
  });

  it("feeds on starfish and collects pearls", () => {
    const state = emptyBank();
    state.hunger = 500;
    put(state, "starfish", 60, 0);
    put(state, "pearl", 90, 0);
    expect(run(state, 20)).to.deep.equal(["collected", "collected"]);
    expect(state.hunger).to.be.below(60);
    expect(state.score).to.equal(Math.floor(state.distance / 20) + 15 + 10);
    expect(frame(state).entities).to.deep.equal([]);
  });

  it("runs faster for double points, slower, and behind a shield, each for its time", () => {
    const state = emptyBank();
    const usual = scrollSpeed(state);
    put(state, "power_speed", 40, 0);
    expect(run(state, 8)).to.deep.equal(["power_up"]);
    expect(scrollSpeed(state)).to.equal(Math.floor((usual * 5) / 4));
    expect(frame(state).extra).to.deep.include({ multiplier: 2 });
    expect(run(state, 100)).to.deep.equal(["power_down"]);
    expect(frame(state).extra).to.deep.include({ multiplier: 1, powerUps: { speedMs: 0, shieldMs: 0, slowMs: 0 } });

    put(state, "power_slow", 40, 0);
    run(state, 8);
    expect(scrollSpeed(state)).to.be.below(usual);

    put(state, "power_shield", 40, 0);
    put(state, "rock", 160, 0);
    expect(run(state, 40)).to.deep.equal(["power_up", "power_down"]);
    expect(state.lives).to.equal(3);
    put(state, "rock", 40, 0);
    run(state, 4);
    expect(state.lives, "a broken shield protects for one more second").to.equal(3);
  });

  it("lets drifting obstacles swing as their velocity says", () => {
    const state = emptyBank();
    put(state, "log", 700, 0, 60);
    const before = frame(state).entities[0]!;
    step(state, []);
    const after = frame(state).entities[0]!;
    expect(after.x - before.x).to.equal(before.vx! / 20);
  });

  it("keeps every obstacle's whole sweep on the bank and out of the lane, and lanes within reach of each other", () => {
    const course = startCourse(seedRandom(seedOf(5)));
    course.nextRowAt = 50_000;
    for (let row = 0; row < 400; row += 1) {
      const lane = course.laneX;
      const things: Thing[] = [];
      growCourse(course, things);
      expect(Math.abs(course.laneX - lane)).to.be.at.most(120);
      for (const { kind, x, swing, at } of things) {
        const reach = swing + SIZES[kind].w / 2;
        expect([x - reach >= 0, x + reach <= 480], `${kind} at ${at}`).to.deep.equal([true, true]);
        if (kind !== "rock" && kind !== "log") continue;
        expect(Math.abs(x - course.laneX) - reach).to.be.at.least(laneHalfWidth(at));
      }
    }
  });

  it("shows at least 1.5 s of travel ahead at full speed", () => {
    const state = playgrounds[0]!.startAt(1, 80_000) as ShellrunnersState;
    state.speedBeats = 300;
    for (let i = 0; i < 100; i += 1) {
      step(state, []);
      expect(state.course.nextRowAt - ROW_SPACING - state.distance).to.be.at.least(1.5 * scrollSpeed(state));
    }
  });

  it("is the same game at 20, 30 and 60 ticks a second", () => {
    const [slow, ...others] = [20, 30, 60].map((tickHz) => {
      const state = shellrunners.init(seedOf(4), tickHz);
      run(state, tickHz * 2, [2]);
      run(state, tickHz * 2, [1]);
      run(state, tickHz, [0]);
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
