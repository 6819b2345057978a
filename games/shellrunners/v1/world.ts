/**
 * The river bank of shellrunners: its dimensions, how difficulty rises with distance, and where obstacles and items are placed.
 * The bank depends only on the seed, never on what the player does: row n is made from block n of the generator.
 * Through every row leads a clear lane, and it is never further from the last one than a runner can shift.
 */
import { BEATS_PER_SECOND, triangleWave } from "../../fixed.ts";
import { nextBlock, type RandomState, toRange } from "../../random.ts";

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

const POWER_KINDS: readonly PowerKind[] = ["power_speed", "power_shield", "power_slow"];

/** The bank is known at least this far ahead of the runner: 1.5 s at full speed and one spacing of rows. */
export const HORIZON = 900;
const FIRST_ROW_AT = 480;
export const ROW_SPACING = 180;
const LANE_SHIFT_MAX = 120;
const BANK_MARGIN = 8;

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
  return { random, nextId: 1, nextRowAt: FIRST_ROW_AT, laneX: WORLD.width / 2, rowsToFood: 2, rowsToPower: 6 };
}

/** Units per second the bank comes by, before power-ups. */
export function getBaseSpeed(distance: number): number {
  return Math.min(380, 150 + Math.floor(distance / 230));
}

/** Hunger points per second. It rises for ever, so that every run ends, however well it is played. */
export function getHungerRate(distance: number): number {
  return 50 + Math.floor(distance / 450);
}

/** Half the width of the clear lane of a row. */
export function getLaneHalfWidth(at: number): number {
  return Math.max(36, 84 - Math.floor(at / 1000));
}

/** Center of an obstacle or item at a moment. */
export function getThingX(thing: Thing, clockBeats: number): number {
  if (thing.swing === 0) return thing.x;
  return thing.x + triangleWave(clockBeats + thing.phaseBeats, thing.periodBeats, thing.swing);
}

/** Appends the next row of obstacles and what lies behind it, in the order of distance. */
export function extendCourse(course: Course, things: Thing[]): void {
  const words = nextBlock(course.random);
  const at = course.nextRowAt;
  const half = getLaneHalfWidth(at);
  const edge = BANK_MARGIN + half;
  course.laneX = toRange(
    words[0],
    Math.max(edge, course.laneX - LANE_SHIFT_MAX),
    Math.min(WORLD.width - edge, course.laneX + LANE_SHIFT_MAX),
  );
  const chancePercent = Math.min(96, 60 + Math.floor(at / 800));
  if (toRange(words[1], 0, 99) < chancePercent) placeObstacle(course, things, -1, words[3], words[4], words[5]);
  if (toRange(words[2], 0, 99) < chancePercent) placeObstacle(course, things, 1, words[6], words[7], words[8]);

  const middle = at + ROW_SPACING / 2;
  course.rowsToFood -= 1;
  course.rowsToPower -= 1;
  if (course.rowsToFood <= 0) {
    placeItem(course, things, "starfish", middle, course.laneX + toRange(words[9], -170, 170));
    course.rowsToFood = toRange(words[10], 3, 5);
  } else if (course.rowsToPower <= 0) {
    placeItem(
      course,
      things,
      POWER_KINDS[toRange(words[11], 0, 2)]!,
      middle,
      course.laneX + toRange(words[9], -120, 120),
    );
    course.rowsToPower = toRange(words[12], 9, 14);
  } else if (toRange(words[13], 0, 99) < 50) {
    placeItem(course, things, "pearl", middle, toRange(words[9], 40, WORLD.width - 40));
  }
  course.nextRowAt = at + ROW_SPACING;
}

/** Puts a rock or a log, still or drifting, on one side (-1 or 1) of the lane; its sweep never enters the lane. */
function placeObstacle(
  course: Course,
  things: Thing[],
  side: -1 | 1,
  kindWord: number | undefined,
  offsetWord: number | undefined,
  driftWord: number | undefined,
): void {
  const at = course.nextRowAt;
  const half = getLaneHalfWidth(at);
  const availableWidth = (side < 0 ? course.laneX : WORLD.width - course.laneX) - half;
  const kind: ObstacleKind = availableWidth >= SIZES.log.w && toRange(kindWord, 0, 99) < 55 ? "log" : "rock";
  const width = SIZES[kind].w;
  const slack = availableWidth - width;
  if (slack < 0) return;
  const isDrifting = slack >= 20 && toRange(driftWord, 0, 99) < Math.min(60, Math.floor(at / 800));
  const swing = isDrifting ? Math.floor(Math.min(slack, 160) / 2) : 0;
  const offset = toRange(offsetWord, 0, Math.min(slack - 2 * swing, Math.max(12, 100 - Math.floor(at / 350))));
  const x = Math.floor(course.laneX + side * (half + offset + swing + width / 2));
  const periodBeats = 4 * toRange(kindWord, 35, 60);
  const phaseBeats = toRange(driftWord, 0, periodBeats - 1);
  things.push({ id: course.nextId, kind, at, x, swing, periodBeats, phaseBeats, clearance: 999 });
  course.nextId += 1;
}

function placeItem(course: Course, things: Thing[], kind: ThingKind, at: number, x: number): void {
  const clampedX = Math.max(30, Math.min(WORLD.width - 30, x));
  things.push({ id: course.nextId, kind, at, x: clampedX, swing: 0, periodBeats: 4, phaseBeats: 0, clearance: 999 });
  course.nextId += 1;
}
