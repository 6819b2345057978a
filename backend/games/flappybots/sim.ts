/** The rules of flappybots, one tick at a time. What the frame shows is what collides: whole world units. */

import { BEATS_PER_SECOND, beatsPerTick, SUB_UNITS, toUnits } from "../fixed.ts";
import type { GameState } from "../game.ts";
import { feed, growHungry } from "../hunger.ts";
import { seedRandom } from "../random.ts";
import {
  type Course,
  FALL_SPEED_MAX,
  FLAP_SPEED,
  type Gate,
  GRAVITY,
  gateY,
  growCourse,
  HORIZON,
  HUNGER_MAX,
  hungerRate,
  ITEM_SIZES,
  type Item,
  LIVES_MAX,
  PAWN,
  PIPE,
  SAFE_BEATS,
  scrollSpeed,
  startCourse,
  WORLD,
} from "./world.ts";

export const FLAP = 1;

/** Why the last life was lost. */
export type LossReason = "pipe" | "ground" | "ceiling" | "starvation";

export interface FlappybotsState extends GameState {
  clockBeats: number;
  /** World units travelled, and sub-units beyond them. */
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
  /** Gates at the front of the list that are behind the bot's centre. */
  gatesBehind: number;
  items: Item[];
}

const TOP_SUB = (PAWN.h / 2) * SUB_UNITS;
const BOTTOM_SUB = (WORLD.height - PAWN.h / 2) * SUB_UNITS;
const FLAP_VELOCITY = -FLAP_SPEED * BEATS_PER_SECOND;
const FALL_VELOCITY_MAX = FALL_SPEED_MAX * BEATS_PER_SECOND;
const GATE_POINTS = 10;
const STREAK_POINTS_MAX = 10;
const BATTERY_POINTS = 5;
const GEAR_POINTS = 15;
/** Distance behind the bot at which a thing has left the screen. */
const BEHIND = PAWN.x + PIPE.w;

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
    course: startCourse(seedRandom(seed)),
    gates: [],
    gatesBehind: 0,
    items: [],
  };
  while (state.course.nextGateAt < HORIZON) growCourse(state.course, state.gates, state.items);
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
  meetGates(state, y);
  if (!state.over) meetItems(state, y);
  if (!state.over) if (growHungry(state, hungerRate(state.distance), beats, HUNGER_MAX)) loseLife(state, "starvation");
  return state;
}

function move(state: FlappybotsState, beats: number): void {
  const before = state.flapped ? FLAP_VELOCITY : state.velocityY;
  const after = Math.min(before + GRAVITY * beats, FALL_VELOCITY_MAX);
  state.velocityY = after;
  state.y += (before + after) * beats;
  if (state.y <= TOP_SUB) {
    state.y = TOP_SUB;
    state.velocityY = Math.max(0, after);
    hurt(state, "ceiling");
  } else if (state.y >= BOTTOM_SUB) {
    state.y = BOTTOM_SUB;
    // The ground throws the bot up again, so that one fall costs one life.
    state.velocityY = FLAP_VELOCITY;
    hurt(state, "ground");
  }
}

function scroll(state: FlappybotsState, beats: number): void {
  state.distanceSub += scrollSpeed(state.distance) * (SUB_UNITS / BEATS_PER_SECOND) * beats;
  const units = Math.floor(state.distanceSub / SUB_UNITS);
  state.distance += units;
  state.distanceSub -= units * SUB_UNITS;
  if (state.course.nextGateAt - state.distance < HORIZON) {
    const known = state.items.length;
    growCourse(state.course, state.gates, state.items);
    for (const item of state.items.slice(known)) {
      state.events.push({ event: "spawned", id: item.id, kind: item.kind });
    }
  }
  if (state.gates[0] && state.distance - state.gates[0].at > BEHIND) {
    state.gates.shift();
    state.gatesBehind -= 1;
  }
  if (state.items[0] && state.distance - state.items[0].at > BEHIND) state.items.shift();
}

function meetGates(state: FlappybotsState, y: number): void {
  // The gate just passed still touches the bot until its far edge is behind.
  for (let i = Math.max(0, state.gatesBehind - 1); i <= state.gatesBehind; i += 1) {
    const gate = state.gates[i];
    if (!gate) return;
    const ahead = gate.at - state.distance;
    if (Math.abs(ahead) * 2 >= PIPE.w + PAWN.w) continue;
    const inside = Math.abs(y - gateY(gate, state.clockBeats)) * 2 <= gate.gap - PAWN.h;
    if (!inside) hurt(state, "pipe");
    if (i === state.gatesBehind && ahead <= 0) {
      state.gatesBehind += 1;
      if (inside) passGate(state, gate);
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

function meetItems(state: FlappybotsState, y: number): void {
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
      feed(state);
    }
    state.events.push({ event: "collected", id: item.id, kind: item.kind, points });
  }
}

function hurt(state: FlappybotsState, reason: LossReason): void {
  if (state.safeBeats === 0 && !state.over) loseLife(state, reason);
}

function loseLife(state: FlappybotsState, reason: LossReason): void {
  state.lives -= 1;
  state.streak = 0;
  state.safeBeats = SAFE_BEATS;
  state.events.push({ event: "life_lost", reason, lives: state.lives });
  if (state.lives === 0) {
    state.over = true;
    state.gameOverReason = reason;
  }
}
