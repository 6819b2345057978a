/**
 * The river bank of shellrunners: its dimensions, how difficulty rises with distance, and where obstacles and items are placed.
 * The bank depends only on the seed, never on what the player does: row n is made from block n of the generator.
 * Through every row leads a clear lane, and it is never further from the last one than a runner can shift.
 */
import { BEATS_PER_SECOND, clamp, triangleWave } from "../fixed.ts";
import { nextBlock, type RandomState, toRange } from "../random.ts";
import { rise } from "../rise.ts";

export const WORLD = { width: 480, height: 720 } as const;

/** The runner's box; y is its fixed place on the screen. */
export const PAWN = { y: 600, w: 40, h: 32 } as const;

/** Sideways: units per second, and per second squared. */
export const SIDE_SPEED_MAX = 340;
export const SIDE_ACCELERATION = 2400;
export const SIDE_FRICTION = 1500;

export const LIVES_MAX = 3;
export const HUNGER_MAX = 1000;

/** How long a runner stays unhurt after it lost a life, and after its shield broke. */
export const SAFE_BEATS = 2 * BEATS_PER_SECOND;
export const SHIELD_BREAK_BEATS = BEATS_PER_SECOND;
export const POWER_BEATS = {
  power_speed: 5 * BEATS_PER_SECOND,
  power_shield: 10 * BEATS_PER_SECOND,
  power_slow: 5 * BEATS_PER_SECOND,
} as const;

export type PowerKind = keyof typeof POWER_BEATS;
export type ObstacleKind = "rock" | "log";
export type ThingKind = ObstacleKind | "starfish" | "pearl" | PowerKind;

export const SIZES: { readonly [kind in ThingKind]: { readonly w: number; readonly h: number } } = {
  rock: { w: 52, h: 44 },
  log: { w: 132, h: 38 },
  starfish: { w: 34, h: 34 },
  pearl: { w: 24, h: 24 },
  power_speed: { w: 34, h: 34 },
  power_shield: { w: 34, h: 34 },
  power_slow: { w: 34, h: 34 },
};

/** Lengthwise distance within which a thing can touch the runner: half the tallest thing and half the runner. */
export const CONTACT_DISTANCE = (SIZES.rock.h + PAWN.h) / 2;

const POWER_KINDS: readonly PowerKind[] = ["power_speed", "power_shield", "power_slow"];

/** What every speed without power-ups stays below. */
export const SPEED_LIMIT = 400;
/** The bank is known at least this far ahead of the runner: 1.5 s at 5/4 of that and one spacing of rows. */
export const HORIZON = 1090;
const FIRST_ROW_AT = 480;
export const ROW_SPACING = 200;
/** The spacing that has a starfish in its middle. */
export const FEEDING_SPACING = 300;
const BANK_MARGIN = 8;
const ITEM_MARGIN = 30;

/** Anything on the bank. A drifting one swings sideways around x. */
export interface Thing {
  readonly id: number;
  readonly kind: ThingKind;
  /** Distance from the start to its center. */
  readonly at: number;
  readonly x: number;
  /** Units it swings to each side, 0 for a still one. */
  readonly swing: number;
  readonly periodBeats: number;
  readonly phaseBeats: number;
  /** Obstacles: the narrowest distance to the runner's side while passing; -1 once they touched. */
  clearance: number;
}

/** The clearance of what the runner has not come near. */
export const UNKNOWN_CLEARANCE = 999;

/** State of the course generator. */
export interface Course {
  random: RandomState;
  nextId: number;
  nextRowAt: number;
  laneX: number;
  /** Rows until the next starfish, and until the next power-up. */
  rowsToFood: number;
  rowsToPower: number;
}

export function createCourse(random: RandomState): Course {
  return { random, nextId: 1, nextRowAt: FIRST_ROW_AT, laneX: WORLD.width / 2, rowsToFood: 3, rowsToPower: 6 };
}

/** The course of a state that was made from a frame: nothing follows on what is in sight. */
export function createUnknownCourse(): Course {
  return { ...createCourse({ key: [], block: 0 }), nextRowAt: Number.MAX_SAFE_INTEGER };
}

/** Units per second the bank comes by, before power-ups: 150 at the start, and ever closer to `SPEED_LIMIT`. */
export function getBaseSpeed(distance: number): number {
  return 150 + rise(distance, SPEED_LIMIT - 150, 30_000);
}

/** Hunger points per second. It rises for ever, so that every run ends, however well it is played. */
export function getHungerRate(distance: number): number {
  return 64 + Math.floor(distance / 1200);
}

/** Half the width of the clear lane of a row. */
export function getLaneHalfWidth(at: number): number {
  return 78 - rise(at, 44, 16_000);
}

/** Center of an obstacle or item at a moment. */
export function getThingX(thing: Thing, clockBeats: number): number {
  if (thing.swing === 0) return thing.x;
  return thing.x + triangleWave(clockBeats + thing.phaseBeats, thing.periodBeats, thing.swing);
}

/** Appends the next row of obstacles, and what lies before it, in the order of distance. */
export function extendCourse(course: Course, things: Thing[]): void {
  const words = nextBlock(course.random);
  const at = course.nextRowAt;
  const lastLaneX = course.laneX;
  course.laneX = chooseLaneX(lastLaneX, at, words[0], words[1]);
  placeItem(course, things, lastLaneX, words);
  placeSide(course, things, -1, words, 6);
  placeSide(course, things, 1, words, 11);
  course.nextRowAt = at + (course.rowsToFood === 1 ? FEEDING_SPACING : ROW_SPACING);
}

/** The lane turns to either side at every row, by about as much; where a bank is in the way it turns to the other. */
function chooseLaneX(lastX: number, at: number, sideWord: number | undefined, shiftWord: number | undefined): number {
  const edge = BANK_MARGIN + getLaneHalfWidth(at);
  const shift = toRange(shiftWord, 70, 90) + rise(at, 50, 20_000);
  const x = lastX + (toRange(sideWord, 0, 1) === 0 ? -shift : shift);
  return x < edge || x > WORLD.width - edge ? clamp(2 * lastX - x, edge, WORLD.width - edge) : x;
}

/** Between two rows: a starfish every third to fifth time, else a power-up now and then, else perhaps a pearl. */
function placeItem(course: Course, things: Thing[], lastLaneX: number, words: Uint32Array): void {
  const { laneX } = course;
  course.rowsToFood -= 1;
  course.rowsToPower -= 1;
  if (course.rowsToFood <= 0) {
    // A starfish lies off the way from lane to lane: beyond the turn, or before it.
    const turn = laneX < lastLaneX ? -1 : 1;
    const detour = getLaneHalfWidth(course.nextRowAt) + toRange(words[2], 40, 70);
    const beyondX = laneX + turn * detour;
    const isBeyond = toRange(words[5], 0, 1) === 0 && beyondX >= ITEM_MARGIN && beyondX <= WORLD.width - ITEM_MARGIN;
    addItem(course, things, "starfish", isBeyond ? beyondX : lastLaneX - turn * detour);
    course.rowsToFood = toRange(words[3], 3, 4);
  } else if (course.rowsToPower <= 0) {
    addItem(course, things, POWER_KINDS[toRange(words[4], 0, 2)]!, lastLaneX + toRange(words[2], -120, 120));
    course.rowsToPower = toRange(words[3], 9, 14);
  } else if (toRange(words[4], 0, 99) < 50) {
    addItem(course, things, "pearl", toRange(words[5], ITEM_MARGIN, WORLD.width - ITEM_MARGIN));
  }
}

/**
 * Fills one side (-1 or 1) of the lane: an obstacle beside it, and another one beyond that where it fits. The first may
 * drift; then it has the side for itself. No sweep ever enters the lane. `from`: the first of five words for it.
 */
function placeSide(course: Course, things: Thing[], side: -1 | 1, words: Uint32Array, from: number): void {
  const at = course.nextRowAt;
  const half = getLaneHalfWidth(at);
  const room = (side < 0 ? course.laneX : WORLD.width - course.laneX) - half;
  const kind = chooseKind(room, words[from]);
  const slack = room - SIZES[kind].w;
  if (slack < 0) return;
  const isDrifting = slack >= 20 && toRange(words[from + 1], 0, 99) < rise(at, 90, 30_000);
  if (isDrifting) {
    const swing = Math.floor(Math.min(slack, 160) / 2);
    addObstacle(course, things, { kind, side, offset: half, swing, words, from });
    return;
  }
  const offset = toRange(words[from + 2], 0, Math.min(slack, 24));
  addObstacle(course, things, { kind, side, offset: half + offset, swing: 0, words, from });
  const outerKind = chooseKind(slack - offset, words[from + 3]);
  const outerSlack = slack - offset - SIZES[outerKind].w;
  if (outerSlack < 0) return;
  const outerOffset = half + offset + SIZES[kind].w + toRange(words[from + 4], 0, outerSlack);
  addObstacle(course, things, { kind: outerKind, side, offset: outerOffset, swing: 0, words, from });
}

const chooseKind = (room: number, word: number | undefined): ObstacleKind =>
  room >= SIZES.log.w && toRange(word, 0, 99) < 55 ? "log" : "rock";

interface Placement {
  readonly kind: ObstacleKind;
  readonly side: -1 | 1;
  /** Units from the lane's center to where it may come nearest. */
  readonly offset: number;
  readonly swing: number;
  readonly words: Uint32Array;
  readonly from: number;
}

function addObstacle(course: Course, things: Thing[], placement: Placement): void {
  const { kind, side, offset, swing, words, from } = placement;
  const x = course.laneX + side * (offset + swing + SIZES[kind].w / 2);
  const periodBeats = 4 * toRange(words[from], 35, 60);
  const phaseBeats = toRange(words[from + 1], 0, periodBeats - 1);
  const moving = swing === 0 ? { periodBeats: 4, phaseBeats: 0 } : { periodBeats, phaseBeats };
  things.push({ id: course.nextId, kind, at: course.nextRowAt, x, swing, ...moving, clearance: UNKNOWN_CLEARANCE });
  course.nextId += 1;
}

function addItem(course: Course, things: Thing[], kind: ThingKind, x: number): void {
  const at = course.nextRowAt - (kind === "starfish" ? FEEDING_SPACING : ROW_SPACING) / 2;
  const insideX = clamp(x, ITEM_MARGIN, WORLD.width - ITEM_MARGIN);
  things.push({
    id: course.nextId,
    kind,
    at,
    x: insideX,
    swing: 0,
    periodBeats: 4,
    phaseBeats: 0,
    clearance: UNKNOWN_CLEARANCE,
  });
  course.nextId += 1;
}
