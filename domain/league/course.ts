/** One policy, or one of the game's own bots, on one course. */
import type { Hex } from "viem";
import { concat, hexToBytes, sha256, stringToBytes } from "viem/utils";
import type { Bot, Game, GameState } from "../../games/game.ts";
import { toPlayFrame } from "../../games/play-frame.ts";
import type { Engine, LoadedPolicy } from "./engine.ts";
import { type FaultKind, PolicyFault } from "./policy-fault.ts";
import { POLICY_BOUNDS } from "./policy-text.ts";

/** Why a course counts as lost; `text` explains it to the author. */
export interface Forfeit {
  readonly reason: FaultKind;
  readonly text: string;
  readonly tick: number;
  readonly line: number | null;
  readonly column: number | null;
}

/** The result of a course, which can be recomputed from the policy's text and the seed. */
export interface Run {
  readonly score: number;
  readonly ticks: number;
  readonly fuel: number;
  /** A character for each tick: "." for no move, else the code of the input in base 36. */
  readonly moves: string;
  /** Invalid moves; each lost its tick. */
  readonly unknown: { readonly count: number; readonly example: string } | null;
  readonly forfeit: Forfeit | null;
}

/** The words that seed `Math.random`; they do not reveal the course. */
function getRandomWords(seed: Hex): readonly number[] {
  const bytes = hexToBytes(sha256(concat([seed, sha256(stringToBytes("policy"))])));
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [0, 4, 8, 12].map((at) => view.getUint32(at));
}

/** The game's code for a move; null if the game does not know the move. */
export function findMoveCode(game: Game, move: { readonly [field: string]: unknown }): number | "none" | null {
  const found = game.inputs.find(({ message }) =>
    Object.entries(message).every(([field, value]) => move[field] === value),
  );
  if (found === undefined) return null;
  return found.mode === "idle" ? "none" : found.code;
}

/** The same for a move as JSON text. */
function createMoveReader(game: Game): (moveText: string) => number | "none" | null {
  const known = new Map<string, number | "none" | null>([["null", "none"]]);
  const find = (moveText: string) => findMoveCode(game, JSON.parse(moveText) as { readonly [field: string]: unknown });
  return (moveText) => {
    if (!known.has(moveText) && known.size < 1000) known.set(moveText, find(moveText));
    return known.has(moveText) ? known.get(moveText)! : find(moveText);
  };
}

interface CourseOptions {
  readonly game: Game;
  readonly seed: Hex;
  readonly tickHz: number;
  readonly ticksMax: number;
  /** Called after each tick. */
  readonly onTick?: (state: GameState) => void;
}

interface Steps {
  readonly decide: (frame: ReturnType<typeof toPlayFrame>, state: GameState) => number | "none";
  readonly getFuel: () => number;
  readonly getUnknown: () => Run["unknown"];
}

const toForfeit = (error: unknown, tick: number): Forfeit => {
  if (!(error instanceof PolicyFault)) throw error;
  return { reason: error.kind, text: error.message, tick, line: error.line, column: error.column };
};

function playSteps({ game, seed, tickHz, ticksMax, onTick }: CourseOptions, steps: Steps): Run {
  const state = game.init(hexToBytes(seed), tickHz);
  let moves = "";
  let forfeit: Forfeit | null = null;
  while (!state.over && state.tick < ticksMax) {
    try {
      const code = steps.decide(toPlayFrame(game, state), state);
      moves += code === "none" ? "." : code.toString(36);
      game.step(state, code === "none" ? [] : [code]);
    } catch (error) {
      forfeit = toForfeit(error, state.tick);
      break;
    }
    onTick?.(state);
  }
  const { score, tick } = state;
  return { score, ticks: tick, fuel: steps.getFuel(), moves, unknown: steps.getUnknown(), forfeit };
}

function playLoaded(policy: LoadedPolicy, options: CourseOptions): Run {
  const read = createMoveReader(options.game);
  const courseFuel = POLICY_BOUNDS.meanTickFuel * options.ticksMax;
  const loadFuel = policy.fuel;
  let unknown: { count: number; example: string } | null = null;
  return playSteps(options, {
    decide: (frame) => {
      const move = policy.move(JSON.stringify(frame));
      if (policy.fuel - loadFuel > courseFuel)
        throw new PolicyFault("fuel", `more than ${courseFuel} units of fuel in this course`);
      const code = read(move);
      if (code !== null) return code;
      unknown = { count: (unknown?.count ?? 0) + 1, example: unknown?.example ?? move };
      return "none";
    },
    getFuel: () => policy.fuel,
    getUnknown: () => unknown,
  });
}

/** The text is loaded for each course, so that courses are independent. */
export function playPolicy(engine: Engine, text: string, options: CourseOptions): Promise<Run> {
  return engine.load(text, getRandomWords(options.seed)).then(
    (policy) => playLoaded(policy, options),
    (error) => createForfeitedRun(toForfeit(error, 0)),
  );
}

export const createForfeitedRun = (forfeit: Forfeit): Run => ({
  score: 0,
  ticks: 0,
  fuel: 0,
  moves: "",
  unknown: null,
  forfeit,
});

/** The game's own bots, as reference players of every season. */
export const RUNGS = ["random", "quick", "reference"] as const;
export type Rung = (typeof RUNGS)[number];

const createRungBot = (game: Game, rung: Rung, index: number): Bot =>
  rung === "random" ? game.bots.random(index) : (game.bots[rung] ?? game.bots.reference)();

export function playRung(rung: Rung, index: number, options: CourseOptions): Run {
  const { game } = options;
  const bot = createRungBot(game, rung, index);
  const read = createMoveReader(game);
  return playSteps(options, {
    decide: (frame) => read(JSON.stringify(bot(frame))) ?? "none",
    getFuel: () => 0,
    getUnknown: () => null,
  });
}
