/**
 * The strongest player of shellrunners that we know: a beam search over the three directions, 2.6 s ahead, with the
 * game's rules. It only sees frames and needs about 15 ms of CPU for a second of play.
 */
import { BEATS_PER_SECOND, SUB_UNITS } from "../../games/fixed.ts";
import type { Bot } from "../../games/game.ts";
import { chooseAim, type SearchSize, type SearchSpace } from "../../games/search.ts";
import { evaluate } from "../../games/shellrunners/planner.ts";
import { resume } from "../../games/shellrunners/resume.ts";
import { LEFT, NONE, RIGHT, step } from "../../games/shellrunners/sim.ts";
import type { ShellrunnersState } from "../../games/shellrunners/state.ts";
import { SIDE_SPEED_MAX } from "../../games/shellrunners/world.ts";

const HOLD_TICKS = 4;
const SIZE: SearchSize = { stageSeconds: Array<number>(13).fill(0.2), width: 48 };
const CODES = [[NONE], [LEFT], [RIGHT]] as const;
const DIRECTIONS = ["none", "left", "right"] as const;
/** Copy the entities that a plan can touch, since contact changes them. */
const COPIED_UNITS = 220;
const CELL_UNITS = 10;
const VELOCITY_CELLS = 4;

function clone(state: ShellrunnersState): ShellrunnersState {
  const things = state.things.slice();
  for (let i = state.thingsBehind; i < things.length && things[i]!.at - state.distance <= COPIED_UNITS; i += 1)
    things[i] = { ...things[i]! };
  return { ...state, events: [], course: { ...state.course }, things };
}

const space: SearchSpace<ShellrunnersState, 0 | 1 | 2> = {
  game: { step },
  clone,
  listAims: () => [0, 1, 2],
  steer: (_, aim) => CODES[aim],
  evaluate,
  getCell({ x, velocityX, shieldBeats, hunger }) {
    const speed = velocityX / BEATS_PER_SECOND + SIDE_SPEED_MAX;
    const place = Math.floor(x / (CELL_UNITS * SUB_UNITS)) * 64;
    const way = Math.floor(speed / ((2 * SIDE_SPEED_MAX) / VELOCITY_CELLS));
    return (place + way) * 4 + (shieldBeats > 0 ? 2 : 0) + (hunger < 300 ? 1 : 0);
  },
};

export function createBeamBot(): Bot {
  let nextTick = 0;
  return (frame) => {
    if (frame.tick < nextTick) return null;
    nextTick = frame.tick + HOLD_TICKS;
    const dir = DIRECTIONS[chooseAim(space, resume(frame), SIZE)]!;
    return dir === frame.pawn.dir ? null : { t: "input", dir };
  };
}
