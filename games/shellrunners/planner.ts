/** A strong player of shellrunners: searches the next two seconds with the rules themselves. */
import { BEATS_PER_SECOND, SUB_UNITS } from "../fixed.ts";
import type { Bot } from "../game.ts";
import { chooseAim, type SearchSize, type SearchSpace } from "../search.ts";
import { resume } from "./resume.ts";
import { LEFT, NONE, RIGHT, step } from "./sim.ts";
import type { ShellrunnersState } from "./state.ts";
import { CONTACT_DISTANCE, PAWN, SIDE_FRICTION, SIDE_SPEED_MAX, WORLD } from "./world.ts";

const SIZE: SearchSize = { stageSeconds: [0.4, 0.5, 0.5, 0.6], width: 16 };
/** Points that a life, an obstacle of the streak, a shield and a beat of slow motion are worth at the end of a plan. */
const VALUES = { life: 10_000, streak: 30, shield: 1000, slowBeat: 3 } as const;
/** The streak with the highest combo, which a longer one does not raise. */
const STREAK_VALUED_MAX = 440;
/** Units between the aims, and to where an aim counts as reached. */
const AIM_STEP = 22;
const REACHED = 5;
const MESSAGES = [
  { t: "input", dir: "none" },
  { t: "input", dir: "left" },
  { t: "input", dir: "right" },
] as const;
const CODES = [[NONE], [LEFT], [RIGHT]] as const;

const AIMS = Array.from(
  { length: Math.floor((WORLD.width - PAWN.w) / AIM_STEP) + 1 },
  (_, i) => PAWN.w / 2 + i * AIM_STEP,
);

/** The code that steers to `aimX` and stops there. */
function chooseCode(state: ShellrunnersState, aimX: number): 0 | 1 | 2 {
  const velocity = state.velocityX / BEATS_PER_SECOND;
  const restX = state.x / SUB_UNITS + (velocity * Math.abs(velocity)) / (2 * SIDE_FRICTION);
  if (Math.abs(aimX - restX) < REACHED) return NONE;
  return aimX < restX ? LEFT : RIGHT;
}

/** The code of the direction that is held. */
function toHeldCode({ dir }: ShellrunnersState): 0 | 1 | 2 {
  if (dir === 0) return NONE;
  return dir < 0 ? LEFT : RIGHT;
}

const space: SearchSpace<ShellrunnersState, number> = {
  game: { step },
  // A clearance changes only in contact; the rest of the things can be shared.
  clone: (state) => ({
    ...state,
    events: [],
    course: { ...state.course },
    things: state.things.map((thing) => (isNear(state, thing.at) ? { ...thing } : thing)),
  }),
  listAims: ({ x }, seconds) =>
    AIMS.filter((aimX) => Math.abs(aimX - x / SUB_UNITS) < SIDE_SPEED_MAX * seconds + AIM_STEP),
  steer: (state, aimX) => CODES[chooseCode(state, aimX)],
  evaluate,
  getCell: ({ x }) => Math.floor(x / (30 * SUB_UNITS)),
};

/** What a state is worth to a planner, in points: the score, and what is likely to bring more. */
export function evaluate(state: ShellrunnersState): number {
  const { score, lives, hunger, streak, shieldBeats, slowBeats } = state;
  return (
    score +
    lives * VALUES.life +
    Math.min(streak, STREAK_VALUED_MAX) * VALUES.streak +
    (shieldBeats > 0 ? VALUES.shield : 0) +
    slowBeats * VALUES.slowBeat -
    (hunger * hunger * hunger) / 500_000
  );
}

/** Whether a thing can be touched within a stage. */
const isNear = ({ distance }: ShellrunnersState, at: number): boolean => at - distance < 400 + CONTACT_DISTANCE;

/** Plays from frames; makes a new plan in each. */
export function createPlannerBot(): Bot {
  let aimX: number | null = null;
  let plannedTick = -1;
  return (frame) => {
    const state = resume(frame);
    if (aimX === null || frame.tick >= plannedTick + 2 || frame.tick < plannedTick) {
      aimX = chooseAim(space, state, SIZE);
      plannedTick = frame.tick;
    }
    const code = chooseCode(state, aimX);
    return code === toHeldCode(state) ? null : MESSAGES[code]!;
  };
}
