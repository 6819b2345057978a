/** The rules of flappybots, one tick at a time. What the frame shows is what collides: whole world units. */

import { BEATS_PER_SECOND, beatsPerTick, SUB_UNITS, toUnits } from "../fixed.ts";
import type { GameState } from "../game.ts";
import { advanceHunger, resetHunger } from "../hunger.ts";
import { loseLife } from "../lives.ts";
import { seedRandom } from "../random.ts";
import {
  type Course,
  createCourse,
  extendCourse,
  FALL_SPEED_MAX,
  FLAP_SPEED,
  type Gate,
  GRAVITY,
  getGateY,
  getHungerRate,
  getScrollSpeed,
  HORIZON,
  HUNGER_MAX,
  ITEM_SIZES,
  type Item,
  LIVES_MAX,
  PAWN,
  PIPE,
  SAFE_BEATS,
  WORLD,
} from "./world.ts";

export const FLAP = 1;

/** Why the last life was lost. */
export type LossReason = "pipe" | "ground" | "ceiling" | "starvation";

export interface FlappybotsState extends GameState {
  clockBeats: number;
  /** World units traveled, and sub-units beyond them. */
  distance: number;
  distanceSub: number;
  /** Sub-units. */
  y: number;
  /** 1/60 unit per second, positive downwards. */
  velocityY: number;
  hungerSub: number;
  /** Beats left in which nothing but hunger can hurt. */
  safeBeats: number;
  streak: number;
  gatesPassed: number;
  flapped: boolean;
  gameOverReason: LossReason | null;
  course: Course;
  gates: Gate[];
  /** Gates at the front of the list that are behind the bot's center. */
  gatesBehind: number;
  items: Item[];
}

const TOP_SUB = (PAWN.h / 2) * SUB_UNITS;
const BOTTOM_SUB = (WORLD.height - PAWN.h / 2) * SUB_UNITS;
const FLAP_VELOCITY = -FLAP_SPEED * BEATS_PER_SECOND;
const FALL_VELOCITY_MAX = FALL_SPEED_MAX * BEATS_PER_SECOND;
const GATE_POINTS = 10;
const STREAK_POINTS_MAX = 30;
const BATTERY_POINTS = 5;
const GEAR_POINTS = 15;
/** Distance behind the bot at which a thing has left the screen. */
const DESPAWN_DISTANCE = PAWN.x + PIPE.w;

export function init(seed: Uint8Array, tickHz: number): FlappybotsState {
  beatsPerTick(tickHz);
  const state: FlappybotsState = {
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
    y: (WORLD.height / 2) * SUB_UNITS,
    velocityY: 0,
    hungerSub: 0,
    safeBeats: 0,
    streak: 0,
    gatesPassed: 0,
    flapped: false,
    gameOverReason: null,
    course: createCourse(seedRandom(seed)),
    gates: [],
    gatesBehind: 0,
    items: [],
  };
  while (state.course.nextGateAt < HORIZON) extendCourse(state.course, state.gates, state.items);
  return state;
}

export function step(state: FlappybotsState, codes: readonly number[]): FlappybotsState {
  if (state.over) return state;
  const beats = BEATS_PER_SECOND / state.tickHz;
  if (state.events.length > 0) state.events = [];
  state.tick += 1;
  state.clockBeats += beats;
  if (state.safeBeats > 0) state.safeBeats = Math.max(0, state.safeBeats - beats);
  state.flapped = codes.includes(FLAP);

  move(state, beats);
  scroll(state, beats);
  const y = toUnits(state.y);
  collideWithGates(state, y);
  if (!state.over) collideWithItems(state, y);
  if (!state.over)
    if (advanceHunger(state, getHungerRate(state.distance), beats, HUNGER_MAX))
      loseLife(state, "starvation", SAFE_BEATS);
  return state;
}

function move(state: FlappybotsState, beats: number): void {
  const previousVelocity = state.flapped ? FLAP_VELOCITY : state.velocityY;
  const velocity = Math.min(previousVelocity + GRAVITY * beats, FALL_VELOCITY_MAX);
  state.velocityY = velocity;
  state.y += (previousVelocity + velocity) * beats;
  if (state.y <= TOP_SUB) {
    state.y = TOP_SUB;
    state.velocityY = Math.max(0, velocity);
    applyHit(state, "ceiling");
  } else if (state.y >= BOTTOM_SUB) {
    state.y = BOTTOM_SUB;
    // The ground throws the bot up again, so that one fall costs one life.
    state.velocityY = FLAP_VELOCITY;
    applyHit(state, "ground");
  }
}

function scroll(state: FlappybotsState, beats: number): void {
  state.distanceSub += getScrollSpeed(state.distance) * (SUB_UNITS / BEATS_PER_SECOND) * beats;
  const units = Math.floor(state.distanceSub / SUB_UNITS);
  state.distance += units;
  state.distanceSub -= units * SUB_UNITS;
  if (state.course.nextGateAt - state.distance < HORIZON) {
    const knownItems = state.items.length;
    extendCourse(state.course, state.gates, state.items);
    for (const item of state.items.slice(knownItems)) {
      state.events.push({ event: "spawned", id: item.id, kind: item.kind });
    }
  }
  if (state.gates[0] && state.distance - state.gates[0].at > DESPAWN_DISTANCE) {
    state.gates.shift();
    state.gatesBehind -= 1;
  }
  if (state.items[0] && state.distance - state.items[0].at > DESPAWN_DISTANCE) state.items.shift();
}

function collideWithGates(state: FlappybotsState, y: number): void {
  // The gate just passed still touches the bot until its far edge is behind.
  for (let i = Math.max(0, state.gatesBehind - 1); i <= state.gatesBehind; i += 1) {
    const gate = state.gates[i];
    if (!gate) return;
    const ahead = gate.at - state.distance;
    if (Math.abs(ahead) * 2 >= PIPE.w + PAWN.w) continue;
    const isInside = Math.abs(y - getGateY(gate, state.clockBeats)) * 2 <= gate.gap - PAWN.h;
    if (!isInside) applyHit(state, "pipe");
    if (i === state.gatesBehind && ahead <= 0) {
      state.gatesBehind += 1;
      if (isInside) passGate(state, gate);
      return;
    }
  }
}

function passGate(state: FlappybotsState, gate: Gate): void {
  state.streak += 1;
  state.gatesPassed += 1;
  const points = GATE_POINTS + Math.min(state.streak - 1, STREAK_POINTS_MAX);
  state.score += points;
  state.events.push({ event: "gate_passed", id: gate.id, points, streak: state.streak });
  if (state.streak % 10 === 0) state.events.push({ event: "streak", streak: state.streak });
}

function collideWithItems(state: FlappybotsState, y: number): void {
  const { items } = state;
  for (let i = 0; i < items.length; i += 1) {
    const item = items[i]!;
    const size = ITEM_SIZES[item.kind];
    const ahead = item.at - state.distance;
    if (ahead * 2 >= size.w + PAWN.w) return;
    if (-ahead * 2 >= size.w + PAWN.w || Math.abs(item.y - y) * 2 >= size.h + PAWN.h) continue;
    items.splice(i, 1);
    i -= 1;
    const points = item.kind === "battery" ? BATTERY_POINTS : GEAR_POINTS;
    state.score += points;
    if (item.kind === "battery") {
      resetHunger(state);
    }
    state.events.push({ event: "collected", id: item.id, kind: item.kind, points });
  }
}

function applyHit(state: FlappybotsState, reason: LossReason): void {
  if (state.safeBeats === 0 && !state.over) loseLife(state, reason, SAFE_BEATS);
}
