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

/** A careful player: looks one second ahead and steers to the lane with most room, or to food when hungry. */
export function referenceBot(): Bot {
  return (frame) => {
    const dir = steer(frame, chooseLane(frame));
    return frame.pawn.dir === dir ? null : MESSAGES[dir];
  };
}

/** Holds a direction for a while, then tosses again; `seed` makes it repeatable. */
export function randomBot(seed: number): Bot {
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

/** Plays as the reference bot for `playMs` of game time and then runs into whatever comes first. */
export function quickBot(playMs = 8000): Bot {
  const play = referenceBot();
  return (frame) => {
    if (frame.tMs < playMs) return play(frame);
    const obstacle = frame.entities.find((entity) => entity.class === "obstacle" && entity.y < PAWN.y - 30);
    const dir = steer(frame, obstacle?.x ?? frame.pawn.x);
    return frame.pawn.dir === dir ? null : MESSAGES[dir];
  };
}

function steer(frame: PlayFrame, lane: number): keyof typeof MESSAGES {
  // Where the runner would come to rest if it let go now.
  const velocity = Number(frame.pawn.velocityX ?? 0);
  const rest = frame.pawn.x + (velocity * Math.abs(velocity)) / 3000 + velocity * REACTION_SECONDS;
  if (Math.abs(lane - rest) < 10) return "none";
  return lane < rest ? "left" : "right";
}

function chooseLane(frame: PlayFrame): number {
  const speed = Number(frame.speed ?? 200);
  const near: Entity[] = [];
  let wish: Entity | undefined;
  for (const entity of frame.entities) {
    const ahead = PAWN.y - entity.y;
    if (ahead < -(entity.h + PAWN.h) / 2 || ahead > speed * LOOK_AHEAD_SECONDS) continue;
    if (entity.class === "obstacle") near.push(entity);
    else if (!wish || (entity.class === "food" && wish.class !== "food")) wish = entity;
  }
  let best: number = frame.pawn.x;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let lane = PAWN.w / 2 + 2; lane < WORLD.width - PAWN.w / 2; lane += LANE_STEP) {
    let cost = Math.abs(lane - frame.pawn.x) / 8;
    for (const entity of near) {
      const clearance = Math.abs(entity.x - lane) - (entity.w + PAWN.w) / 2;
      const ahead = Math.max(0, PAWN.y - entity.y);
      if (clearance < 8) cost += 1000 / (1 + ahead / 100);
      else if (clearance < 30) cost += (30 - clearance) / (1 + ahead / 100);
    }
    if (wish) cost += (Math.abs(wish.x - lane) / 480) * (wish.class === "food" ? 20 + frame.hunger / 10 : 15);
    if (cost < bestCost) {
      bestCost = cost;
      best = lane;
    }
  }
  return best;
}
