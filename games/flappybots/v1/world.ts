/**
 * The course of flappybots: its dimensions, how difficulty rises with distance, and where gates and items are placed.
 * The course depends only on the seed, never on what the player does: gate n is made from block n of the generator.
 */
import { BEATS_PER_SECOND, triangleWave } from "../../fixed.ts";
import { nextBlock, type RandomState, toRange } from "../../random.ts";

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

/** The course is known at least this far ahead of the bot: 1.5 s at full speed and one spacing of gates. */
export const HORIZON = 790;
const FIRST_GATE_AT = 640;
export const GATE_SPACING = 280;
const GAP_MARGIN = 36;

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

/** Units per second the world comes by. */
export function getScrollSpeed(distance: number): number {
  return Math.min(330, 150 + Math.floor(distance / 200));
}

/** Hunger points per second. It rises for ever, so that every run ends, however well it is flown. */
export function getHungerRate(distance: number): number {
  return 50 + Math.floor(distance / 400);
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
  const gap = Math.max(GATE_CLEAR_HEIGHT, 2 * Math.floor((180 - at / 520 - toRange(words[0], 0, 12)) / 2));
  const swing =
    at > 4000 && toRange(words[1], 0, 99) < Math.min(60, 10 + Math.floor(at / 800)) ? getSwing(at, words[2]) : 0;
  const shiftMax = Math.min(190, 90 + Math.floor(at / 350));
  const edge = gap / 2 + GAP_MARGIN + swing;
  const low = Math.ceil(Math.max(edge, course.lastY - shiftMax));
  const high = Math.floor(Math.min(WORLD.height - edge, course.lastY + shiftMax));
  const y = toRange(words[3], Math.min(low, high), Math.max(low, high));
  const periodBeats = 4 * toRange(words[4], 40, 60);
  const phaseBeats = toRange(words[5], 0, periodBeats - 1);
  gates.push({ id: course.nextId, at, y, gap, swing, periodBeats, phaseBeats });
  course.nextId += 3;

  const middle = at - GATE_SPACING / 2;
  course.gatesToBattery -= 1;
  if (course.gatesToBattery <= 0) {
    // A battery sits off the line between two openings: feeding is a detour, and late ones are wide.
    const detour = toRange(words[7], 20, Math.min(130, 50 + Math.floor(at / 450)));
    const side = toRange(words[8], 0, 1) === 0 ? -1 : 1;
    items.push(createItem(course, "battery", middle, (course.lastY + y) / 2 + side * detour));
    course.gatesToBattery = toRange(words[6], 2, 3);
  } else if (toRange(words[9], 0, 99) < 45) {
    items.push(createItem(course, "gear", middle, toRange(words[10], 40, WORLD.height - 40)));
  }
  course.lastY = y;
  course.nextGateAt = at + GATE_SPACING;
}

function getSwing(at: number, word: number | undefined): number {
  return toRange(word, 12, Math.min(70, 18 + Math.floor(at / 700)));
}

function createItem(course: Course, kind: Item["kind"], at: number, y: number): Item {
  const id = course.nextId;
  course.nextId += 1;
  return { id, kind, at, y: Math.floor(Math.max(40, Math.min(WORLD.height - 40, y))) };
}
