/** A beam search over a game's own rules: shows that a stretch can be passed, and how far looking ahead can get. */
import type { FlappybotsState } from "../../backend/games/flappybots/sim.ts";
import * as flappy from "../../backend/games/flappybots/world.ts";
import type { Game, GameState } from "../../backend/games/game.ts";
import { findGame } from "../../backend/games/index.ts";
import type { ShellrunnersState } from "../../backend/games/shellrunners/sim.ts";
import * as shell from "../../backend/games/shellrunners/world.ts";
import { seedOf } from "./helpers.ts";

/** How the search handles one game. */
export interface Playground<State extends GameState = GameState> {
  readonly game: Game<State>;
  /** The choices of one tick. */
  readonly moves: readonly (readonly number[])[];
  clone(state: State): State;
  /** States with the same key are taken for the same place. */
  key(state: State): number;
  /** A fresh run that begins at a distance, with everything ahead generated as it would be there. */
  startAt(seedNumber: number, distance: number): State;
}

const flappybots: Playground<FlappybotsState> = {
  game: findGame("flappybots") as Game<FlappybotsState>,
  moves: [[], [1]],
  clone: (state) => ({ ...cloneRun(state), gates: [...state.gates], items: [...state.items] }),
  key: (state) => Math.floor(state.y / 7200 / 10) * 64 + Math.floor(state.velocityY / 60 / 60) + 32,
  startAt(seedNumber, distance) {
    const state = this.game.init(seedOf(seedNumber), 20);
    Object.assign(state, { distance, clockBeats: Math.floor(distance / 4), gates: [], items: [] });
    state.course.nextGateAt = distance + 640;
    while (state.course.nextGateAt - distance < flappy.HORIZON) {
      flappy.growCourse(state.course, state.gates, state.items);
    }
    return state;
  },
};

const shellrunners: Playground<ShellrunnersState> = {
  game: findGame("shellrunners") as Game<ShellrunnersState>,
  moves: [[0], [1], [2]],
  clone: (state) => ({ ...cloneRun(state), things: state.things.map((thing) => ({ ...thing })) }),
  key: (state) => Math.floor(state.x / 7200 / 10) * 64 + Math.floor(state.velocityX / 60 / 60) + 32,
  startAt(seedNumber, distance) {
    const state = this.game.init(seedOf(seedNumber), 20);
    Object.assign(state, { distance, clockBeats: Math.floor(distance / 4), things: [] });
    state.course.nextRowAt = distance + 480;
    while (state.course.nextRowAt - distance < shell.HORIZON) shell.growCourse(state.course, state.things);
    return state;
  },
};

/** Every game has its playground; the cast hides which state belongs to which. */
export const playgrounds = [shellrunners, flappybots] as unknown as readonly Playground[];

function cloneRun<State extends FlappybotsState | ShellrunnersState>(state: State): State {
  return { ...state, events: [], course: { ...state.course, random: { ...state.course.random } } };
}

/** How far the search got without losing a life, hunger left aside; all `ticks` when the stretch can be passed. */
export function passableTicks(ground: Playground, start: GameState, ticks: number): number {
  let beam = [start];
  for (let tick = 0; tick < ticks; tick += 1) {
    const next = new Map<number, GameState>();
    for (const state of beam) {
      for (const codes of ground.moves) {
        const child = ground.game.step(ground.clone(state), codes);
        child.hunger = 0;
        if (child.lives === start.lives) next.set(ground.key(child), child);
      }
    }
    if (next.size === 0) return tick;
    beam = [...next.values()];
  }
  return ticks;
}

interface Node {
  readonly state: GameState;
  readonly first: readonly number[];
  readonly value: number;
}

/** The best next move when looking `ticks` ahead with at most `width` states a tick. */
export function planMove(ground: Playground, state: GameState, ticks: number, width: number): readonly number[] {
  let beam: Node[] = [{ state, first: ground.moves[0]!, value: 0 }];
  for (let tick = 0; tick < ticks; tick += 1) {
    const next = new Map<number, Node>();
    for (const node of beam) {
      for (const codes of ground.moves) {
        const child = ground.game.step(ground.clone(node.state), codes);
        const value = child.score + child.lives * 1000 - (child.hunger * child.hunger) / 5000;
        const key = ground.key(child);
        const known = next.get(key);
        if (!known || known.value < value) {
          next.set(key, { state: child, first: tick === 0 ? codes : node.first, value });
        }
      }
    }
    beam = [...next.values()];
    if (beam.length > width) beam = beam.sort((a, b) => b.value - a.value).slice(0, width);
  }
  return beam.reduce((best, node) => (node.value > best.value ? node : best)).first;
}
