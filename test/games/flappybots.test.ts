import { expect } from "chai";
import { flappybots } from "../../games/flappybots/game.ts";
import type { FlappybotsState } from "../../games/flappybots/sim.ts";
import {
  createCourse,
  extendCourse,
  GATE_CLEAR_HEIGHT,
  GATE_SPACING,
  type Gate,
  getGateY,
  getScrollSpeed,
  type Item,
} from "../../games/flappybots/world.ts";
import { seedRandom } from "../../games/random.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";
import { courseSearchSpaces } from "./planner.ts";

const { step, frame } = flappybots;
const SUB = 7200;

/** A run in an empty sky, to which the generator adds nothing. */
function createEmptySky(): FlappybotsState {
  const state = flappybots.init(toSeed(1), 20);
  state.gates = [];
  state.items = [];
  state.course.nextGateAt = Number.MAX_SAFE_INTEGER;
  return state;
}

function addGate(state: FlappybotsState, ahead: number, y: number, swing = 0): Gate {
  const at = state.distance + ahead;
  const gate: Gate = { id: 900 + 3 * state.gates.length, at, y, gap: 140, swing, periodBeats: 240, phaseBeats: 0 };
  state.gates.push(gate);
  return gate;
}

function addItem(state: FlappybotsState, kind: Item["kind"], ahead: number, y: number): void {
  state.items.push({ id: 800 + state.items.length, kind, at: state.distance + ahead, y });
}

/** Keeps the bot at a height for some ticks and returns every event on the way. */
function glide(state: FlappybotsState, ticks: number, y: number): string[] {
  const events: string[] = [];
  for (let i = 0; i < ticks; i += 1) {
    Object.assign(state, { y: y * SUB, velocityY: 0 });
    step(state, []);
    events.push(...state.events.map(({ event }) => event));
  }
  return events;
}

describe("flappybots", () => {
  it("falls by gravity up to a top speed and rises by a flap; several flaps count as one", () => {
    const state = createEmptySky();
    step(state, []);
    expect(frame(state).pawn.velocityY).to.equal(70);
    expect(frame(state).extra).to.include({ latestAction: "NOOP" });
    const twice = structuredClone(state);
    step(state, [1]);
    step(twice, [1, 1, 1]);
    expect(twice).to.deep.equal(state);
    expect(frame(state).extra).to.include({ latestAction: "FLAP" });
    expect(frame(state).pawn.velocityY).to.equal(-350);
    expect(frame(state).extra.bot).to.include({ x: 160, velocityY: -350, rotation: -30 });
    for (let i = 0; i < 9; i += 1) step(state, []);
    step(state, [0]);
    expect(frame(state).pawn.velocityY).to.equal(350);
  });

  it("loses one life on the ground and is thrown up again, invulnerable for three seconds", () => {
    const state = createEmptySky();
    const events: string[] = [];
    for (let i = 0; i < 70; i += 1) events.push(...step(state, []).events.map(({ event }) => event));
    expect(events).to.deep.equal(["life_lost"]);
    expect(state.lives).to.equal(2);
    for (let i = 0; i < 60 && state.lives === 2; i += 1) step(state, []);
    expect(state.events[0]).to.deep.equal({ event: "life_lost", reason: "ground", lives: 1 });
  });

  it("loses a life at the ceiling and at a pipe", () => {
    const state = createEmptySky();
    for (let i = 0; i < 14 && state.lives === 3; i += 1) step(state, [1]);
    expect(state.events[0]).to.deep.equal({ event: "life_lost", reason: "ceiling", lives: 2 });
    state.safeBeats = 0;
    addGate(state, 60, 100);
    expect(glide(state, 20, 300)).to.deep.equal(["life_lost"]);
    state.safeBeats = 0;
    addGate(state, 60, 400);
    glide(state, 20, 200);
    expect(state).to.include({ lives: 0, over: true, gameOverReason: "pipe" });
  });

  it("collides exactly with the edges of the frame", () => {
    const lives = [240 + 56, 240 + 57].map((y) => {
      const state = createEmptySky();
      addGate(state, 60, 240);
      const { gapTopY, gapBottomY } = frame(state).entities[0]!;
      expect([gapTopY, gapBottomY]).to.deep.equal([170, 310]);
      for (let i = 0; i < 20; i += 1) {
        // Gravity adds 1400 * 3 * 3 sub-units in the first tick of a fall.
        Object.assign(state, { y: y * SUB - 1400 * 9, velocityY: 0 });
        step(state, []);
        expect(frame(state).pawn.y).to.equal(y);
      }
      return state.lives;
    });
    expect(lives).to.deep.equal([3, 2]);
  });

  it("scores gates, more on a streak, and nothing for a gate flown through its pipe", () => {
    const state = createEmptySky();
    for (let i = 0; i < 3; i += 1) addGate(state, 60 + 200 * i, 240);
    expect(glide(state, 70, 240)).to.deep.equal(["gate_passed", "gate_passed", "gate_passed"]);
    expect(state).to.include({ score: 10 + 11 + 12, streak: 3, gatesPassed: 3 });
    state.streak = 40;
    addGate(state, 60, 240);
    glide(state, 20, 240);
    expect(state.score).to.equal(33 + 40);
    addGate(state, 60, 100);
    expect(glide(state, 20, 300)).to.deep.equal(["life_lost"]);
    expect(state).to.include({ score: 73, streak: 0 });
  });

  it("feeds on batteries and collects gears", () => {
    const state = createEmptySky();
    state.hunger = 500;
    addItem(state, "battery", 60, 240);
    addItem(state, "gear", 90, 240);
    addItem(state, "gear", 120, 400);
    expect(glide(state, 20, 240)).to.deep.equal(["collected", "collected"]);
    expect(state.hunger).to.be.below(60);
    expect(state.score).to.equal(5 + 15);
  });

  it("moves gates by their velocity, pipes and opening alike", () => {
    const state = createEmptySky();
    const gate = addGate(state, 500, 240, 60);
    const before = frame(state).entities;
    step(state, []);
    const after = frame(state).entities;
    expect(after.map(({ y }, i) => y - before[i]!.y)).to.deep.equal([3, 3, 3]);
    expect(before.map(({ vy }) => vy)).to.deep.equal([60, 60, 60]);
    expect(getGateY(gate, 60)).to.equal(300);
  });

  it("observes the next gate until it is behind the bot", () => {
    const state = createEmptySky();
    addGate(state, 200, 240);
    addGate(state, 400, 100);
    expect(frame(state).extra.observation).to.deep.equal({
      nextObstacleX: 360,
      nextGapTopY: 170,
      nextGapCenterY: 240,
      nextGapBottomY: 310,
      nextGapVelocityY: 0,
      distanceToNextObstacle: 150,
      distanceToGround: 226,
      distanceToCeiling: 226,
    });
    glide(state, 33, 240);
    expect(frame(state).extra.observation).to.include({ nextGapCenterY: 240, distanceToNextObstacle: 0 });
    glide(state, 2, 240);
    expect(frame(state).extra.observation).to.include({ nextGapCenterY: 100 });
  });

  it("keeps every opening inside the world and within reach of the previous one, with regular batteries", () => {
    const course = createCourse(seedRandom(toSeed(5)));
    course.nextGateAt = 50_000;
    let sinceBattery = 0;
    for (let n = 0; n < 400; n += 1) {
      const before = course.lastY;
      const [gates, items]: [Gate[], Item[]] = [[], []];
      extendCourse(course, gates, items);
      const { y, gap, swing } = gates[0]!;
      expect(Math.abs(y - before)).to.be.at.most(190);
      expect(gap).to.be.at.least(GATE_CLEAR_HEIGHT);
      expect(gap % 2).to.equal(0);
      expect([y - swing - gap / 2 >= 20, y + swing + gap / 2 <= 460]).to.deep.equal([true, true]);
      sinceBattery = items.some(({ kind }) => kind === "battery") ? 0 : sinceBattery + 1;
      expect(sinceBattery).to.be.below(3);
      for (const item of items) expect(item.y).to.be.within(40, 440);
    }
  });

  it("shows at least 1.5 s of travel ahead at full speed", () => {
    const state = courseSearchSpaces[1]!.startAt(1, 80_000) as FlappybotsState;
    for (let i = 0; i < 60; i += 1) {
      step(state, []);
      expect(state.course.nextGateAt - GATE_SPACING - state.distance).to.be.at.least(
        1.5 * getScrollSpeed(state.distance),
      );
    }
  });

  it("is the same game at 20, 30 and 60 ticks a second", () => {
    const [slow, ...others] = [20, 30, 60].map((tickHz) => {
      const state = flappybots.init(toSeed(4), tickHz);
      for (let tick = 1; tick <= tickHz * 3; tick += 1) {
        // A flap every 0.6 s, in the tick that starts at the same moment.
        step(state, (tick - 1) % (tickHz * 0.6) === 0 ? [1] : []);
      }
      return state;
    });
    for (const state of others) {
      expect(state.course).to.deep.equal(slow!.course);
      expect(state.distance).to.be.closeTo(slow!.distance, 1);
      expect(state).to.include({ y: slow!.y, velocityY: slow!.velocityY, lives: slow!.lives, score: slow!.score });
      expect(frame(state).hunger).to.equal(frame(slow!).hunger);
    }
  });
});
