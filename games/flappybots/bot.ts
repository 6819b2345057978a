/** Bots for flappybots. They see frames only, as any agent does. */
import type { Bot, Entity, PlayFrame } from "../game.ts";
import { FLAP_SPEED, GRAVITY, PAWN, WORLD } from "./world.ts";

const FLAP_MESSAGE = { t: "action", action: "FLAP" } as const;

/** A careful player: keeps to the middle of the next opening and takes a battery that is not too far off. */
export function createReferenceBot(): Bot {
  let lastMs = 0;
  return (frame) => {
    // A decision shows one tick later; how long a tick is, the frames tell.
    const reactionMs = Math.min(100, Math.max(15, frame.tMs - lastMs));
    lastMs = frame.tMs;
    return shouldFlap(frame, chooseTargetY(frame), reactionMs / 1000) ? FLAP_MESSAGE : null;
  };
}

/** Flaps by the toss of a coin; `seed` makes it repeatable. */
export function createRandomBot(seed: number): Bot {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16 < 7000 ? FLAP_MESSAGE : null;
  };
}

/** Plays as the reference bot for `playMs` of game time and then lets itself fall. */
export function createQuickBot(playMs = 8000): Bot {
  const play = createReferenceBot();
  return (frame) => (frame.tMs < playMs ? play(frame) : null);
}

/** The height to hover around. */
function chooseTargetY(frame: PlayFrame): number {
  const gate = findNext(frame, "gate");
  const food = findNext(frame, "food");
  if (food && (!gate || food.x < gate.x - gate.w) && isWorthDetour(frame, food)) return food.y;
  return gate ? gate.y : WORLD.height / 2;
}

function isWorthDetour(frame: PlayFrame, food: Entity): boolean {
  return frame.hunger * 3 > frame.hungerMax || Math.abs(food.y - frame.pawn.y) < 60;
}

/** The first entity of a class whose far edge is not behind the bot. */
function findNext(frame: PlayFrame, entityClass: Entity["class"]): Entity | undefined {
  let best: Entity | undefined;
  for (const entity of frame.entities) {
    if (entity.class !== entityClass || entity.x + entity.w / 2 < PAWN.x - PAWN.w / 2) continue;
    if (!best || entity.x < best.x) best = entity;
  }
  return best;
}

/** Flaps when falling further would leave the band around the aim. A flap rises by `FLAP_SPEED^2 / (2 GRAVITY)`. */
function shouldFlap(frame: PlayFrame, targetY: number, reactionSeconds: number): boolean {
  const velocityY = Number(frame.pawn.velocityY ?? 0);
  const rise = (FLAP_SPEED * FLAP_SPEED) / (2 * GRAVITY);
  const predictedY = frame.pawn.y + velocityY * reactionSeconds;
  return velocityY > -FLAP_SPEED / 2 && predictedY > targetY + rise / 2 + 4;
}
