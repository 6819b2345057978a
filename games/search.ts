/** A search over a game's own rules: what to do in the next two seconds. */
import type { Game, GameState } from "./game.ts";

/** How a game is searched. A plan is a list of aims, each held for one stage. */
export interface SearchSpace<State extends GameState, Aim> {
  readonly game: Pick<Game<State>, "step">;
  /** A copy that may be stepped without changing the state. */
  clone(state: State): State;
  /** The aims worth trying from a state within `seconds`. */
  listAims(state: State, seconds: number): readonly Aim[];
  /** The codes of a tick on the way to an aim. */
  steer(state: State, aim: Aim): readonly number[];
  /** What a state is worth. */
  evaluate(state: State): number;
  /** The cell of a state: only the best state of a cell is followed. */
  getCell(state: State): number;
}

/** Ticks of each stage, and how many of the best plans the next one starts from. */
export interface SearchSize {
  readonly stageSeconds: readonly number[];
  readonly width: number;
}

interface Plan<State, Aim> {
  readonly state: State;
  readonly first: Aim;
  readonly value: number;
}

/** The aim to hold now: the first one of the plan that is worth most at its end. */
export function chooseAim<State extends GameState, Aim>(
  space: SearchSpace<State, Aim>,
  state: State,
  { stageSeconds, width }: SearchSize,
): Aim {
  let plans: Plan<State, Aim>[] = [];
  for (const [stage, seconds] of stageSeconds.entries()) {
    const ticks = Math.round(seconds * state.tickHz);
    const next = new Map<number, Plan<State, Aim>>();
    const starts = stage === 0 ? [{ state, first: null }] : plans;
    for (const start of starts) {
      for (const aim of space.listAims(start.state, seconds)) {
        const child = space.clone(start.state);
        for (let tick = 0; tick < ticks && !child.over; tick += 1) space.game.step(child, space.steer(child, aim));
        const plan = { state: child, first: start.first ?? aim, value: space.evaluate(child) };
        const cell = space.getCell(child);
        if ((next.get(cell)?.value ?? Number.NEGATIVE_INFINITY) < plan.value) next.set(cell, plan);
      }
    }
    plans = [...next.values()].sort((one, other) => other.value - one.value).slice(0, width);
  }
  return plans[0]!.first;
}
