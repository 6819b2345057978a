/** Bots for shellrunners. They see frames only, as any agent does. */

import { clamp } from "../fixed.ts";
import type { Bot, Entity, InputCode, PlayFrame } from "../game.ts";
import { PAWN, SIDE_ACCELERATION, SIDE_FRICTION, SIDE_SPEED_MAX, SIZES, WORLD } from "./world.ts";

const MESSAGES = {
  left: { t: "input", dir: "left" },
  none: { t: "input", dir: "none" },
  right: { t: "input", dir: "right" },
} as const;
/** Time until a decision shows: the frame is a tick old when it is answered. */
const REACTION_SECONDS = 0.05;
/** Units kept between the runner and an obstacle where there is room. */
const MARGIN = 12;
/** The width of the narrowest gap that a bot uses. */
const WIDTH_MIN = 10;
/** The distance to the side, in units, within which an item touches the runner. */
const ITEM_REACH = 24;
/** Time that a detour must leave. */
const SLACK_SECONDS = 0.08;
const REACH_Y = (SIZES.rock.h + PAWN.h) / 2;
const EDGES = { low: PAWN.w / 2, high: WORLD.width - PAWN.w / 2 } as const;

/** Where the runner's center may be; `ahead` is the distance to the row, or to an item. */
interface Passage {
  readonly ahead: number;
  readonly low: number;
  readonly high: number;
}

/** A careful player: keeps to the way through the next two rows, and takes what lies within reach of it. */
export function createReferenceBot(): Bot {
  return (frame) => toMessage(frame, chooseX(frame));
}

/** Holds a direction for a while, then tosses again; `seed` makes it repeatable. */
export function createRandomBot(seed: number): Bot {
  let state = seed >>> 0;
  let holdFrames = 0;
  return () => {
    if (holdFrames > 0) {
      holdFrames -= 1;
      return null;
    }
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    holdFrames = (state >>> 28) + 2;
    return [MESSAGES.left, MESSAGES.none, MESSAGES.right][(state >>> 16) % 3] as InputCode["message"];
  };
}

/** Plays as the reference bot for `playMs` of game time and then steers into the next obstacle. */
export function createQuickBot(playMs = 8000): Bot {
  const play = createReferenceBot();
  return (frame) => {
    if (frame.tMs < playMs) return play(frame);
    const obstacle = frame.entities.find((entity) => entity.class === "obstacle" && entity.y < PAWN.y - 30);
    return toMessage(frame, obstacle?.x ?? frame.pawn.x);
  };
}

/** The message that steers to `x` and stops there; null where that direction is held already. */
function toMessage(frame: PlayFrame, x: number): InputCode["message"] | null {
  const velocity = Number(frame.pawn.velocityX ?? 0);
  // Where the runner would come to rest if it let go now.
  const restX = frame.pawn.x + (velocity * Math.abs(velocity)) / (2 * SIDE_FRICTION) + velocity * REACTION_SECONDS;
  const dir = Math.abs(x - restX) < 6 ? "none" : x < restX ? "left" : "right";
  return frame.pawn.dir === dir ? null : MESSAGES[dir];
}

/** Where to steer. */
function chooseX(frame: PlayFrame): number {
  const { x } = frame.pawn;
  const speed = Number(frame.speed ?? 200);
  const [row, nextRow] = listRows(frame.entities);
  if (row === undefined) return x;
  const passage = choosePassage(listPassages(row, speed), x);
  const nextPassage = nextRow && choosePassage(listPassages(nextRow, speed), clamp(x, passage.low, passage.high));
  const wayX = nextPassage ? clamp(x, nextPassage.low, nextPassage.high) : x;
  const throughX = clamp(wayX, passage.low, passage.high);
  for (const item of listWantedItems(frame)) {
    const ahead = PAWN.y - item.y;
    const itemX = clamp(x, item.x - ITEM_REACH, item.x + ITEM_REACH);
    if (ahead < passage.ahead) {
      if (canTurn(speed, { fromX: x, fromAhead: 0, itemX, itemAhead: ahead, to: passage })) return itemX;
    } else if (nextPassage && ahead < nextPassage.ahead) {
      const fromX = clamp(itemX, passage.low, passage.high);
      const fromAhead = Math.max(0, passage.ahead + REACH_Y);
      if (canTurn(speed, { fromX, fromAhead, itemX, itemAhead: ahead, to: nextPassage })) return fromX;
    }
  }
  return throughX;
}

interface Turn {
  readonly fromX: number;
  readonly fromAhead: number;
  readonly itemX: number;
  readonly itemAhead: number;
  readonly to: Passage;
}

/** Whether the item can be reached in time, and the passage after it. */
function canTurn(speed: number, { fromX, fromAhead, itemX, itemAhead, to }: Turn): boolean {
  const there = getTurnSeconds(Math.abs(itemX - fromX));
  const back = getTurnSeconds(Math.abs(itemX - clamp(itemX, to.low, to.high)));
  const atItem = Math.max(fromAhead / speed + there, (itemAhead - ITEM_REACH) / speed);
  const isInTime = fromAhead / speed + there + SLACK_SECONDS < (itemAhead + ITEM_REACH) / speed;
  return isInTime && atItem + back + SLACK_SECONDS < (to.ahead - REACH_Y) / speed;
}

/** Seconds to go so far to the side from rest. */
function getTurnSeconds(units: number): number {
  const rampUnits = SIDE_SPEED_MAX ** 2 / (2 * SIDE_ACCELERATION);
  if (units <= rampUnits) return Math.sqrt((2 * units) / SIDE_ACCELERATION);
  return SIDE_SPEED_MAX / SIDE_ACCELERATION + (units - rampUnits) / SIDE_SPEED_MAX;
}

/** Food first, then the rest, each from near to far; food only when it is needed. */
function listWantedItems(frame: PlayFrame): Entity[] {
  const isHungry = frame.hunger * 4 > frame.hungerMax;
  const isAhead = ({ y }: Entity): boolean => y < PAWN.y;
  const near = frame.entities.filter((entity) => entity.class !== "obstacle" && isAhead(entity));
  const food = near.filter((entity) => entity.class === "food" && isHungry);
  return [...food, ...near.filter((entity) => entity.class !== "food")];
}

/** The obstacles that are not behind the runner, by row, the nearest row first. */
function listRows(entities: readonly Entity[]): Entity[][] {
  const rows = new Map<number, Entity[]>();
  for (const entity of entities) {
    if (entity.class !== "obstacle" || entity.y - PAWN.y >= REACH_Y) continue;
    const row = rows.get(entity.y);
    if (row) row.push(entity);
    else rows.set(entity.y, [entity]);
  }
  return [...rows.entries()].sort(([one], [other]) => other - one).map(([, row]) => row);
}

/** The ways through a row, as they will be while the runner is in it. */
function listPassages(row: readonly Entity[], speed: number): Passage[] {
  const ahead = PAWN.y - row[0]!.y;
  const seconds = [Math.max(0, ahead - REACH_Y) / speed, Math.max(0, ahead + REACH_Y) / speed] as const;
  const blocks = row.map(({ x, w, vx = 0 }) => {
    const [fromX, toX] = seconds.map((each) => x + vx * each) as [number, number];
    const half = (w + PAWN.w) / 2;
    return { low: Math.min(fromX, toX) - half, high: Math.max(fromX, toX) + half };
  });
  const passages: Passage[] = [];
  let low: number = EDGES.low;
  for (const block of [...blocks.sort((a, b) => a.low - b.low), { low: Infinity, high: Infinity }]) {
    const high = Math.min(EDGES.high, block.low);
    const margin = Math.min(MARGIN, (high - low) / 2);
    if (high - low >= WIDTH_MIN) passages.push({ ahead, low: low + margin, high: high - margin });
    low = Math.max(low, block.high);
  }
  return passages.length > 0 ? passages : [{ ahead, low: EDGES.low, high: EDGES.high }];
}

/** The passage that is nearest to `x`. */
function choosePassage(passages: readonly Passage[], x: number): Passage {
  const distance = ({ low, high }: Passage): number => Math.abs(x - clamp(x, low, high));
  return passages.reduce((best, each) => (distance(each) < distance(best) ? each : best));
}
