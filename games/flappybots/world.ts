/**
 * The course of flappybots: its dimensions, how difficulty rises with distance, and where gates and items are placed.
 * The course depends only on the seed, never on what the player does: gate n is made from block n of the generator.
 */
import { BEATS_PER_SECOND, clamp, triangleWave } from "../fixed.ts";
import { nextBlock, type RandomState, toRange } from "../random.ts";
import { rise } from "../rise.ts";

/** World units; the ground is the lower edge of the world, the ceiling the upper one. */
export const WORLD = { width: 800, height: 480 } as const;

/** The bot's box; x is its fixed place on the screen. */
export const PAWN = { x: 160, w: 36, h: 28 } as const;

/** Units per second, and per second squared. */
export const GRAVITY = 1400;
export const FLAP_SPEED = 420;
export const FALL_SPEED_MAX = 600;

export const LIVES_MAX = 3;
export const HUNGER_MAX = 1000;

/** How long a bot stays unhurt after it lost a life. */
export const SAFE_BEATS = 3 * BEATS_PER_SECOND;

export const PIPE = { w: 64, h: WORLD.height } as const;
/** Open in every gate, however hard the course has become. */
export const GATE_CLEAR_HEIGHT = 96;
export const ITEM_SIZES = { battery: { w: 32, h: 32 }, gear: { w: 26, h: 26 } } as const;

/** What every speed stays below. */
export const SPEED_LIMIT = 400;
/** The course is known at least this far ahead of the bot: 1.5 s at full speed and one spacing of gates. */
export const HORIZON = 880;
const FIRST_GATE_AT = 640;
export const GATE_SPACING = 280;
const GAP_MARGIN = 36;
const ITEM_MARGIN = 40;

/** A pair of pipes and the opening between them. */
export interface Gate {
  /** The gate's entity; its upper pipe is id + 1, its lower pipe id + 2. */
  readonly id: number;
  /** Distance from the start to its center. */
  readonly at: number;
  /** Mean position of the opening's center, around which it swings. */
  readonly y: number;
  /** Even, so that the center lies on a whole unit. */
  readonly gap: number;
  /** Units it swings up and down, 0 for a still gate. */
  readonly swing: number;
  readonly periodBeats: number;
  readonly phaseBeats: number;
}

export interface Item {
  readonly id: number;
  readonly kind: "battery" | "gear";
  readonly at: number;
  readonly y: number;
}

/** State of the course generator. */
export interface Course {
  random: RandomState;
  nextId: number;
  nextGateAt: number;
  lastY: number;
  /** Gates until the next battery. */
  gatesToBattery: number;
}

export function createCourse(random: RandomState): Course {
  return { random, nextId: 1, nextGateAt: FIRST_GATE_AT, lastY: WORLD.height / 2, gatesToBattery: 1 };
}

/** The course of a state that was made from a frame: nothing follows on what is in sight. */
export function createUnknownCourse(): Course {
  return { ...createCourse({ key: [], block: 0 }), nextGateAt: Number.MAX_SAFE_INTEGER };
}

/** Units per second the world comes by: 150 at the start, and ever closer to `SPEED_LIMIT`. */
export function getScrollSpeed(distance: number): number {
  return 150 + rise(distance, SPEED_LIMIT - 150, 40_000);
}

/** Hunger points per second. It rises for ever, so that every run ends, however well it is flown. */
export function getHungerRate(distance: number): number {
  return 66 + Math.floor(distance / 900);
}

/** Center of a gate's opening at a moment. */
export function getGateY(gate: Gate, clockBeats: number): number {
  if (gate.swing === 0) return gate.y;
  return gate.y + triangleWave(clockBeats + gate.phaseBeats, gate.periodBeats, gate.swing);
}

/** Makes the next gate and what lies between it and the one before; appends to both lists. */
export function extendCourse(course: Course, gates: Gate[], items: Item[]): void {
  const words = nextBlock(course.random);
  const at = course.nextGateAt;
  const spare = 80 - rise(at, 80, 30_000) - toRange(words[0], 0, 8);
  const gap = GATE_CLEAR_HEIGHT + 2 * Math.max(0, Math.floor(spare / 2));
  const swing = toRange(words[1], 0, 99) < rise(at, 90, 30_000) ? toRange(words[2], 6, 12 + rise(at, 64, 30_000)) : 0;
  const shift = 60 + rise(at, 130, 30_000);
  const edge = gap / 2 + GAP_MARGIN + swing;
  const low = Math.ceil(Math.max(edge, course.lastY - shift));
  const high = Math.floor(Math.min(WORLD.height - edge, course.lastY + shift));
  const y = toRange(words[3], Math.min(low, high), Math.max(low, high));
  const periodBeats = 4 * toRange(words[4], 40, 60);
  const phaseBeats = toRange(words[5], 0, periodBeats - 1);
  gates.push({ id: course.nextId, at, y, gap, swing, periodBeats, phaseBeats });
  course.nextId += 3;
  placeItem(course, items, at - GATE_SPACING / 2, Math.floor((course.lastY + y) / 2), words);
  course.lastY = y;
  course.nextGateAt = at + GATE_SPACING;
}

/** A battery every two or three gates, in half of the other gaps a gear. `lineY`: halfway between two openings. */
function placeItem(course: Course, items: Item[], at: number, lineY: number, words: Uint32Array): void {
  course.gatesToBattery -= 1;
  if (course.gatesToBattery <= 0) {
    // A battery is never on the line between two openings: feeding is a detour, and late ones are wide.
    const detour = toRange(words[7], 84, 100 + rise(at, 60, 30_000));
    const side = toRange(words[8], 0, 1) === 0 ? -1 : 1;
    const isInside = lineY + side * detour >= ITEM_MARGIN && lineY + side * detour <= WORLD.height - ITEM_MARGIN;
    items.push(createItem(course, "battery", at, isInside ? lineY + side * detour : lineY - side * detour));
    course.gatesToBattery = toRange(words[6], 2, 3);
  } else if (toRange(words[9], 0, 99) < 45) {
    items.push(createItem(course, "gear", at, toRange(words[10], ITEM_MARGIN, WORLD.height - ITEM_MARGIN)));
  }
}

function createItem(course: Course, kind: Item["kind"], at: number, y: number): Item {
  const id = course.nextId;
  course.nextId += 1;
  return { id, kind, at, y: clamp(y, ITEM_MARGIN, WORLD.height - ITEM_MARGIN) };
}
