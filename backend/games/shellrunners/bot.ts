/** Bots for shellrunners. They see frames only, as any agent does. */
import type { Bot, Entity, InputCode, PlayFrame } from "../game.ts";
import { PAWN, WORLD } from "./world.ts";

const MESSAGES = {
  left: { t: "input", dir: "left" },
  none: { t: "input", dir: "none" },
  right: { t: "input", dir: "right" },
} as const;
const LANE_STEP = 12;
/** Time until a decision shows: the frame is a tick old when it is answered. */
const REACTION_SECONDS = 0.05;
/** Rows further away than this do not count yet. */
const LOOK_AHEAD_SECONDS = 0.9;

/** A careful player: looks one second ahead and steers to the lane with most space, or to food when hungry. */
export function createReferenceBot(): Bot {
  return (frame) => {
    const dir = chooseDirection(frame, chooseLaneX(frame));
    return frame.pawn.dir === dir ? null : MESSAGES[dir];
  };
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
    const dir = chooseDirection(frame, obstacle?.x ?? frame.pawn.x);
    return frame.pawn.dir === dir ? null : MESSAGES[dir];
  };
}

function chooseDirection(frame: PlayFrame, laneX: number): keyof typeof MESSAGES {
  // Where the runner would come to rest if it let go now.
  const velocity = Number(frame.pawn.velocityX ?? 0);
  const restX = frame.pawn.x + (velocity * Math.abs(velocity)) / 3000 + velocity * REACTION_SECONDS;
  if (Math.abs(laneX - restX) < 10) return "none";
  return laneX < restX ? "left" : "right";
}

function chooseLaneX(frame: PlayFrame): number {
  const speed = Number(frame.speed ?? 200);
  const obstacles: Entity[] = [];
  let target: Entity | undefined;
  for (const entity of frame.entities) {
    const ahead = PAWN.y - entity.y;
    if (ahead < -(entity.h + PAWN.h) / 2 || ahead > speed * LOOK_AHEAD_SECONDS) continue;
    if (entity.class === "obstacle") obstacles.push(entity);
    else if (!target || (entity.class === "food" && target.class !== "food")) target = entity;
  }
  let bestX: number = frame.pawn.x;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let laneX = PAWN.w / 2 + 2; laneX < WORLD.width - PAWN.w / 2; laneX += LANE_STEP) {
    let cost = Math.abs(laneX - frame.pawn.x) / 8;
    for (const entity of obstacles) {
      const clearance = Math.abs(entity.x - laneX) - (entity.w + PAWN.w) / 2;
      const ahead = Math.max(0, PAWN.y - entity.y);
      if (clearance < 8) cost += 1000 / (1 + ahead / 100);
      else if (clearance < 30) cost += (30 - clearance) / (1 + ahead / 100);
    }
    if (target) cost += (Math.abs(target.x - laneX) / 480) * (target.class === "food" ? 20 + frame.hunger / 10 : 15);
    if (cost < bestCost) {
      bestCost = cost;
      bestX = laneX;
    }
  }
  return bestX;
}
