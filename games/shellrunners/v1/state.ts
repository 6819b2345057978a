/** The state of a shellrunners run and how it begins. */
import { beatsPerTick, SUB_UNITS } from "../../fixed.ts";
import type { GameState } from "../../game.ts";
import { seedRandom } from "../../random.ts";
import { type Course, createCourse, extendCourse, HORIZON, LIVES_MAX, type Thing, WORLD } from "./world.ts";

export type LossReason = "rock" | "log" | "starvation";

export interface ShellrunnersState extends GameState {
  clockBeats: number;
  /** World units run, and sub-units beyond them. */
  distance: number;
  distanceSub: number;
  /** Sub-units. */
  x: number;
  /** 1/60 unit per second, positive to the right. */
  velocityX: number;
  /** -1 left, 0 none, 1 right; stays until changed. */
  dir: number;
  /** Units run that have not become a point yet. */
  scoreUnits: number;
  hungerSub: number;
  /** Beats left in which nothing but hunger can hurt. */
  safeBeats: number;
  speedBeats: number;
  shieldBeats: number;
  slowBeats: number;
  /** Obstacles left behind since the last hit. */
  streak: number;
  nearMisses: number;
  gameOverReason: LossReason | null;
  course: Course;
  things: Thing[];
  /** Obstacles and items at the front of the list that the runner has passed. */
  thingsBehind: number;
}

export function init(seed: Uint8Array, tickHz: number): ShellrunnersState {
  beatsPerTick(tickHz);
  const state: ShellrunnersState = {
    tick: 0,
    tickHz,
    lives: LIVES_MAX,
    score: 0,
    hunger: 0,
    over: false,
    events: [],
    clockBeats: 0,
    distance: 0,
    distanceSub: 0,
    x: (WORLD.width / 2) * SUB_UNITS,
    velocityX: 0,
    dir: 0,
    scoreUnits: 0,
    hungerSub: 0,
    safeBeats: 0,
    speedBeats: 0,
    shieldBeats: 0,
    slowBeats: 0,
    streak: 0,
    nearMisses: 0,
    gameOverReason: null,
    course: createCourse(seedRandom(seed)),
    things: [],
    thingsBehind: 0,
  };
  while (state.course.nextRowAt < HORIZON) extendCourse(state.course, state.things);
  return state;
}
