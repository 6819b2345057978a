/** A beam search with a game's rules, which shows that a stretch can be passed. */
import type { FlappybotsState } from "../../games/flappybots/sim.ts";
import * as flappy from "../../games/flappybots/world.ts";
import type { Game, GameState } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import type { ShellrunnersState } from "../../games/shellrunners/state.ts";
import * as shell from "../../games/shellrunners/world.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";

/** The parts of a game that the search needs. */
export interface SearchSpace<State extends GameState = GameState> {
  readonly game: Game<State>;
  /** The choices of one tick. */
  readonly moves: readonly (readonly number[])[];
  clone(state: State): State;
  /** Position and velocity of the pawn. States in the same cell count as the same place. */
  getPosition(state: State): readonly number[];
}

/** A game whose course can be entered anywhere. */
export interface CourseSearchSpace<State extends GameState = GameState> extends SearchSpace<State> {
  /** Makes a run invulnerable for the next tick and puts the pawn at the next food. */
  keepAlive(state: State): void;
  /** A new run that starts at a distance, with the course ahead generated as it would be there. */
  startAt(seedNumber: number, distance: number): State;
}

/** A cell spans this many times as many units per second as units. */
const VELOCITY_SCALE = 6;

const flappybots: CourseSearchSpace<FlappybotsState> = {
  game: findGame("flappybots") as Game<FlappybotsState>,
  moves: [[], [1]],
  clone: (state) => ({ ...cloneState(state), gates: [...state.gates], items: [...state.items] }),
  getPosition: (state) => [state.y / 7200, state.velocityY / 60 / VELOCITY_SCALE],
  keepAlive(state) {
    state.safeBeats = 60;
    const food = state.items.find(({ kind, at }) => kind === "battery" && at >= state.distance - flappy.PAWN.w / 2);
    if (food) Object.assign(state, { y: food.y * 7200, velocityY: 0 });
  },
  startAt(seedNumber, distance) {
    const state = this.game.init(toSeed(seedNumber), 20);
    Object.assign(state, { distance, clockBeats: Math.floor(distance / 4), gates: [], items: [] });
    state.course.nextGateAt = distance + 640;
    while (state.course.nextGateAt - distance < flappy.HORIZON) {
      flappy.extendCourse(state.course, state.gates, state.items);
    }
    return state;
  },
};

const shellrunners: CourseSearchSpace<ShellrunnersState> = {
  game: findGame("shellrunners") as Game<ShellrunnersState>,
  moves: [[0], [1], [2]],
  clone: (state) => ({ ...cloneState(state), things: state.things.map((thing) => ({ ...thing })) }),
  getPosition: (state) => [state.x / 7200, state.velocityX / 60 / VELOCITY_SCALE],
  keepAlive(state) {
    state.safeBeats = 60;
    const food = state.things.find(({ kind, at }) => kind === "starfish" && at >= state.distance);
    if (food) Object.assign(state, { x: food.x * 7200, velocityX: 0 });
  },
  startAt(seedNumber, distance) {
    const state = this.game.init(toSeed(seedNumber), 20);
    Object.assign(state, { distance, clockBeats: Math.floor(distance / 4), things: [] });
    state.course.nextRowAt = distance + 480;
    while (state.course.nextRowAt - distance < shell.HORIZON) shell.extendCourse(state.course, state.things);
    return state;
  },
};

/** The cast hides which state belongs to which. */
export const courseSearchSpaces = [shellrunners, flappybots] as unknown as readonly CourseSearchSpace[];

function cloneState<State extends FlappybotsState | ShellrunnersState>(state: State): State {
  return { ...state, events: [], course: { ...state.course, random: { ...state.course.random } } };
}

/** A search space for any game, from its inputs and its pawn. Slower than a search space for one game. */
export function createSearchSpace(game: Game): SearchSpace {
  const codes = game.inputs.filter(({ mode }) => mode !== "idle").map(({ code }) => [code]);
  return {
    game,
    moves: [[], ...codes],
    clone: (state) => structuredClone(state),
    getPosition: (state) => Object.values(game.frame(state).pawn).filter((value) => typeof value === "number"),
  };
}

/** Every number of a place in steps of `size`. */
const toCell = (space: SearchSpace, state: GameState, size: number): number =>
  space.getPosition(state).reduce((cell, number) => cell * 1000 + Math.floor(number / size), 0);

/**
 * How far the search got without losing a life, ignoring hunger; all `ticks` if the stretch can be passed.
 * `width`: the most states to keep, evenly spread.
 */
export function countPassableTicks(space: SearchSpace, start: GameState, ticks: number, width = Infinity): number {
  let beam = [start];
  for (let tick = 0; tick < ticks; tick += 1) {
    const next = new Map<number, GameState>();
    for (const state of beam) {
      for (const codes of space.moves) {
        const child = space.game.step(space.clone(state), codes);
        child.hunger = 0;
        if (child.lives === start.lives) next.set(toCell(space, child, 10), child);
      }
    }
    if (next.size === 0) return tick;
    const stride = Math.max(1, next.size / width);
    beam = [...next.values()].filter((_, index) => Math.floor(index / stride) !== Math.floor((index - 1) / stride));
  }
  return ticks;
}
