/** A strong player of flappybots: searches the next two seconds with the rules themselves. */
import { SUB_UNITS } from "../fixed.ts";
import type { Bot } from "../game.ts";
import { chooseAim, type SearchSize, type SearchSpace } from "../search.ts";
import { resume } from "./resume.ts";
import { FLAP, type FlappybotsState, step } from "./sim.ts";
import { PAWN, WORLD } from "./world.ts";

const SIZE: SearchSize = { stageSeconds: [0.35, 0.45, 0.55, 0.65], width: 16 };
const LIFE_VALUE = 3000;
const STREAK_VALUE = 4;
const STREAK_VALUED_MAX = 60;
const AIM_STEP = 22;
const FLAP_MESSAGE = { t: "action", action: "FLAP" } as const;
const MOVES = { flap: [FLAP], fall: [] } as const;

/** The bot flaps whenever it is below an aim. */
const AIMS = Array.from(
  { length: Math.floor((WORLD.height - PAWN.h) / AIM_STEP) + 1 },
  (_, i) => PAWN.h + i * AIM_STEP,
);

const isBelow = (state: FlappybotsState, aimY: number): boolean => state.y > aimY * SUB_UNITS;

const space: SearchSpace<FlappybotsState, number> = {
  game: { step },
  clone: (state) => ({
    ...state,
    events: [],
    course: { ...state.course },
    gates: [...state.gates],
    items: [...state.items],
  }),
  listAims: () => AIMS,
  steer: (state, aimY) => (isBelow(state, aimY) ? MOVES.flap : MOVES.fall),
  evaluate: ({ score, lives, hunger, streak, y, distance, gates }) =>
    score +
    lives * LIFE_VALUE +
    Math.min(streak, STREAK_VALUED_MAX) * STREAK_VALUE -
    (hunger * hunger * hunger) / 500_000 -
    Math.abs(y / SUB_UNITS - (gates.find(({ at }) => at > distance)?.y ?? 240)) / 10,
  getCell: ({ y, velocityY }) =>
    Math.floor(y / (24 * SUB_UNITS)) * 10 + (velocityY < 0 ? 0 : velocityY < 12_000 ? 1 : 2),
};

/** Plays from frames; makes a new plan every few of them. */
export function createPlannerBot(): Bot {
  let aimY: number | null = null;
  let plannedTick = -1;
  return (frame) => {
    const state = resume(frame);
    if (aimY === null || frame.tick >= plannedTick + 3 || frame.tick < plannedTick) {
      aimY = chooseAim(space, state, SIZE);
      plannedTick = frame.tick;
    }
    return isBelow(state, aimY) ? FLAP_MESSAGE : null;
  };
}
