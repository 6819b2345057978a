/** The rules of shellrunners, one tick at a time. What the frame shows is what collides: whole world units. */

import { BEATS_PER_SECOND, clamp, SUB_UNITS, toUnits } from "../../fixed.ts";
import { advanceHunger, resetHunger } from "../../hunger.ts";
import { loseLife } from "../../lives.ts";
import type { ShellrunnersState } from "./state.ts";
import {
  extendCourse,
  getBaseSpeed,
  getHungerRate,
  getThingX,
  HORIZON,
  HUNGER_MAX,
  PAWN,
  POWER_BEATS,
  SAFE_BEATS,
  SHIELD_BREAK_BEATS,
  SIDE_ACCELERATION,
  SIDE_FRICTION,
  SIDE_SPEED_MAX,
  SIZES,
  type Thing,
  WORLD,
} from "./world.ts";

export const NONE = 0;
export const LEFT = 1;
export const RIGHT = 2;

const LEFT_SUB = (PAWN.w / 2) * SUB_UNITS;
const RIGHT_SUB = (WORLD.width - PAWN.w / 2) * SUB_UNITS;
const SIDE_VELOCITY_MAX = SIDE_SPEED_MAX * BEATS_PER_SECOND;
/** Lengthwise distance within which a thing can touch the runner: half the tallest thing and half the runner. */
const CONTACT_DISTANCE = (SIZES.rock.h + PAWN.h) / 2;
/** Distance behind the runner at which a thing has left the screen. */
const DESPAWN_DISTANCE = WORLD.height - PAWN.y + 24;
const UNITS_PER_POINT = 20;
const STARFISH_POINTS = 15;
const PEARL_POINTS = 10;
const NEAR_MISS_UNITS = 14;
const NEAR_MISS_POINTS = 5;
const STREAK_LENGTH = 10;
const STREAK_POINTS_MAX = 50;

export function step(state: ShellrunnersState, codes: readonly number[]): ShellrunnersState {
  if (state.over) return state;
  const beats = BEATS_PER_SECOND / state.tickHz;
  if (state.events.length > 0) state.events = [];
  state.tick += 1;
  state.clockBeats += beats;
  for (const code of codes) {
    if (code === NONE) state.dir = 0;
    else if (code === LEFT) state.dir = -1;
    else if (code === RIGHT) state.dir = 1;
  }
  tickPowerUps(state, beats);
  moveSideways(state, beats);
  advance(state, beats);
  collideWithThings(state, toUnits(state.x));
  if (!state.over)
    if (advanceHunger(state, getHungerRate(state.distance), beats, HUNGER_MAX))
      loseLife(state, "starvation", SAFE_BEATS);
  return state;
}

/** Units per second the bank comes by, with power-ups. */
export function getScrollSpeed(state: ShellrunnersState): number {
  let speed = getBaseSpeed(state.distance);
  if (state.speedBeats > 0) speed = Math.floor((speed * 5) / 4);
  if (state.slowBeats > 0) speed = Math.floor((speed * 3) / 5);
  return speed;
}

/** Everything scores double while the speed power-up lasts. */
export function getMultiplier(state: ShellrunnersState): number {
  return state.speedBeats > 0 ? 2 : 1;
}

function tickPowerUps(state: ShellrunnersState, beats: number): void {
  if (state.safeBeats > 0) state.safeBeats = Math.max(0, state.safeBeats - beats);
  if (state.speedBeats > 0) {
    state.speedBeats = Math.max(0, state.speedBeats - beats);
    if (state.speedBeats === 0) state.events.push({ event: "power_down", kind: "power_speed" });
  }
  if (state.shieldBeats > 0) {
    state.shieldBeats = Math.max(0, state.shieldBeats - beats);
    if (state.shieldBeats === 0) state.events.push({ event: "power_down", kind: "power_shield" });
  }
  if (state.slowBeats > 0) {
    state.slowBeats = Math.max(0, state.slowBeats - beats);
    if (state.slowBeats === 0) state.events.push({ event: "power_down", kind: "power_slow" });
  }
}

function moveSideways(state: ShellrunnersState, beats: number): void {
  const previousVelocity = state.velocityX;
  let velocity = previousVelocity;
  if (state.dir !== 0) {
    const braking = previousVelocity * state.dir < 0 ? SIDE_FRICTION : 0;
    velocity += state.dir * (SIDE_ACCELERATION + braking) * beats;
  } else if (previousVelocity > 0) {
    velocity = Math.max(0, previousVelocity - SIDE_FRICTION * beats);
  } else if (previousVelocity < 0) {
    velocity = Math.min(0, previousVelocity + SIDE_FRICTION * beats);
  }
  velocity = clamp(velocity, -SIDE_VELOCITY_MAX, SIDE_VELOCITY_MAX);
  state.velocityX = velocity;
  state.x += (previousVelocity + velocity) * beats;
  if (state.x < LEFT_SUB || state.x > RIGHT_SUB) {
    state.x = clamp(state.x, LEFT_SUB, RIGHT_SUB);
    state.velocityX = 0;
  }
}

function advance(state: ShellrunnersState, beats: number): void {
  state.distanceSub += getScrollSpeed(state) * (SUB_UNITS / BEATS_PER_SECOND) * beats;
  const units = Math.floor(state.distanceSub / SUB_UNITS);
  state.distance += units;
  state.distanceSub -= units * SUB_UNITS;
  state.scoreUnits += units;
  while (state.scoreUnits >= UNITS_PER_POINT) {
    state.scoreUnits -= UNITS_PER_POINT;
    state.score += getMultiplier(state);
  }
  if (state.course.nextRowAt - state.distance < HORIZON) {
    const knownThings = state.things.length;
    extendCourse(state.course, state.things);
    for (const thing of state.things.slice(knownThings)) {
      if (thing.kind === "rock" || thing.kind === "log") continue;
      state.events.push({ event: "spawned", id: thing.id, kind: thing.kind });
    }
  }
  while (state.things[0] && state.distance - state.things[0].at > DESPAWN_DISTANCE) {
    state.things.shift();
    state.thingsBehind -= 1;
  }
}

function collideWithThings(state: ShellrunnersState, x: number): void {
  const { things } = state;
  for (let i = state.thingsBehind; i < things.length && !state.over; i += 1) {
    const thing = things[i]!;
    const ahead = thing.at - state.distance;
    if (ahead >= CONTACT_DISTANCE) return;
    if (-ahead >= CONTACT_DISTANCE) {
      state.thingsBehind = i + 1;
      if (thing.kind === "rock" || thing.kind === "log") scorePassedObstacle(state, thing);
      continue;
    }
    const size = SIZES[thing.kind];
    if (Math.abs(ahead) * 2 >= size.h + PAWN.h) continue;
    const clearance = Math.abs(getThingX(thing, state.clockBeats) - x) - (size.w + PAWN.w) / 2;
    if (thing.kind === "rock" || thing.kind === "log") {
      if (clearance < 0) hit(state, thing);
      else if (thing.clearance > clearance) thing.clearance = clearance;
    } else if (clearance < 0) {
      things.splice(i, 1);
      i -= 1;
      collect(state, thing);
    }
  }
}

function scorePassedObstacle(state: ShellrunnersState, obstacle: Thing): void {
  if (obstacle.clearance < 0) return;
  state.streak += 1;
  if (obstacle.clearance <= NEAR_MISS_UNITS) {
    state.nearMisses += 1;
    const points = NEAR_MISS_POINTS * getMultiplier(state);
    state.score += points;
    state.events.push({ event: "near_miss", id: obstacle.id, points });
  }
  if (state.streak % STREAK_LENGTH === 0) {
    const points = Math.min(STREAK_POINTS_MAX, state.streak) * getMultiplier(state);
    state.score += points;
    state.events.push({ event: "streak", streak: state.streak, points });
  }
}

function collect(state: ShellrunnersState, thing: Thing): void {
  let points = 0;
  if (thing.kind === "starfish") {
    points = STARFISH_POINTS * getMultiplier(state);
    resetHunger(state);
  } else if (thing.kind === "pearl") points = PEARL_POINTS * getMultiplier(state);
  else if (thing.kind === "power_speed") state.speedBeats = POWER_BEATS.power_speed;
  else if (thing.kind === "power_shield") state.shieldBeats = POWER_BEATS.power_shield;
  else if (thing.kind === "power_slow") state.slowBeats = POWER_BEATS.power_slow;
  state.score += points;
  state.events.push(
    points > 0
      ? { event: "collected", id: thing.id, kind: thing.kind, points }
      : { event: "power_up", id: thing.id, kind: thing.kind },
  );
}

function hit(state: ShellrunnersState, obstacle: Thing): void {
  obstacle.clearance = -1;
  if (state.safeBeats > 0) return;
  if (state.shieldBeats > 0) {
    state.shieldBeats = 0;
    state.safeBeats = SHIELD_BREAK_BEATS;
    state.events.push({ event: "power_down", kind: "power_shield", id: obstacle.id });
    return;
  }
  loseLife(state, obstacle.kind === "log" ? "log" : "rock", SAFE_BEATS);
}
