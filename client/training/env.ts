/**
 * Training environments without a server: the server's rules, stepped as fast as the machine can. The interface follows
 * Gymnasium's `Env` (https://gymnasium.farama.org/api/env/).
 */
import type { Game, GameState, InputCode, ObservationField } from "../../games/game.ts";
import { findGame, games } from "../../games/index.ts";

/** A server ends a session after 30 minutes. */
const SECONDS_MAX = 1800;
const SEED_BYTES = 32;
export const TICKS_PER_STEP_MAX = 100;

/** A seed: a whole number from 0 to 2^32 - 1, or 32 bytes as in a replay. */
export type Seed = number | Uint8Array;

export interface EnvOptions {
  /** Ticks per second of game time; the game's default if left out. */
  readonly tickHz?: number;
  /** Seconds of game time after which a run is truncated, at most 1800, the server's limit. */
  readonly maxSeconds?: number;
  /** Ticks per step (default 1). The first tick gets the action. */
  readonly ticksPerStep?: number;
}

/** The result of a run. */
export interface EnvInfo {
  readonly tick: number;
  readonly score: number;
  readonly lives: number;
}

export interface StepResult {
  /** One number for each of `observationFields`. The array is reused: copy it to keep it. */
  readonly observation: Float32Array;
  /** Points scored in this step. */
  readonly reward: number;
  /** True if the last life is lost. */
  readonly terminated: boolean;
  /** True if the time is up first. */
  readonly truncated: boolean;
  readonly info: EnvInfo;
}

export interface Env {
  readonly slug: string;
  readonly tickHz: number;
  readonly observationFields: readonly ObservationField[];
  /** The messages that a bot sends to the server: action 0 sends the first. */
  readonly actions: readonly InputCode["message"][];
  /** Starts a run. The same seed always gives the same run. Throws `RangeError` for an invalid seed. */
  reset(seed: Seed): { readonly observation: Float32Array; readonly info: EnvInfo };
  /**
   * Plays `ticksPerStep` ticks, or to the end of the run. Throws `RangeError` for an unknown action, and `Error` before
   * a reset or after the end.
   */
  step(action: number): StepResult;
}

interface TrainableGame extends Game {
  readonly observation: NonNullable<Game["observation"]>;
}

/** Throws `RangeError` with the known games if this one is unknown or cannot be trained on. */
function getTrainableGame(slug: string): TrainableGame {
  const game = findGame(slug);
  if (game?.observation !== undefined) return game as TrainableGame;
  const known = games.filter(({ observation }) => observation !== undefined).map((each) => each.slug);
  throw new RangeError(`Expected one of ${known.join(", ")} as the game, received "${slug}".`);
}

/** The 32 bytes of a seed; a number fills the first four, little endian. */
function toSeedBytes(seed: Seed): Uint8Array {
  if (typeof seed !== "number") {
    if (seed.length === SEED_BYTES) return seed;
    throw new RangeError(`a seed has ${SEED_BYTES} bytes, not ${seed.length}`);
  }
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32)
    throw new RangeError(`a seed is a whole number from 0 to 4294967295, not ${seed}`);
  const bytes = new Uint8Array(SEED_BYTES);
  new DataView(bytes.buffer).setUint32(0, seed, true);
  return bytes;
}

/** Runs of one game, one after another; the environments share this class. */
export class Run {
  readonly game: TrainableGame;
  readonly tickHz: number;
  readonly #maxTicks: number;
  readonly #ticksPerStep: number;
  readonly #codes: readonly (readonly number[])[];
  #state: GameState | null = null;

  constructor(slug: string, { tickHz, maxSeconds = SECONDS_MAX, ticksPerStep = 1 }: EnvOptions) {
    this.game = getTrainableGame(slug);
    this.tickHz = tickHz ?? this.game.tickHz;
    if (!(maxSeconds > 0 && maxSeconds <= SECONDS_MAX))
      throw new RangeError(`maxSeconds is above 0 and at most ${SECONDS_MAX}, not ${maxSeconds}`);
    if (!Number.isInteger(ticksPerStep) || ticksPerStep < 1 || ticksPerStep > TICKS_PER_STEP_MAX)
      throw new RangeError(`expected ticksPerStep from 1 to ${TICKS_PER_STEP_MAX}, received ${ticksPerStep}`);
    this.#ticksPerStep = ticksPerStep;
    this.#maxTicks = Math.floor(maxSeconds * this.tickHz);
    this.#codes = this.game.inputs.map(({ code, mode }) => (mode === "idle" ? [] : [code]));
  }

  get state(): GameState {
    if (this.#state === null) throw new Error("no run is going on: call reset(seed) first");
    return this.#state;
  }

  get isTruncated(): boolean {
    return !this.state.over && this.state.tick >= this.#maxTicks;
  }

  get isOver(): boolean {
    return this.state.over || this.isTruncated;
  }

  begin(seed: Seed): void {
    this.#state = this.game.init(toSeedBytes(seed), this.tickHz);
  }

  /** Plays one step and returns its points. */
  advance(action: number): number {
    const codes = this.#codes[action];
    if (codes === undefined) throw new RangeError(`an action is from 0 to ${this.#codes.length - 1}, not ${action}`);
    const { state } = this;
    if (this.isOver) throw new Error("the run is over: call reset(seed) to begin another");
    const { score } = state;
    this.game.step(state, codes);
    for (let tick = 1; tick < this.#ticksPerStep && !this.isOver; tick++) this.game.step(state, []);
    return state.score - score;
  }

  observe(out: Float32Array, offset: number): void {
    this.game.observation.write(this.state, out, offset);
  }
}

const toInfo = ({ tick, score, lives }: GameState): EnvInfo => ({ tick, score, lives });

/**
 * Makes an environment of a game.
 * @throws RangeError for an unknown game, tick rate or duration
 */
export function makeEnv(slug: string, options: EnvOptions = {}): Env {
  const run = new Run(slug, options);
  const { game } = run;
  const observation = new Float32Array(game.observation.fields.length);
  return {
    slug: game.slug,
    tickHz: run.tickHz,
    observationFields: game.observation.fields,
    actions: game.inputs.map(({ message }) => message),
    reset(seed) {
      run.begin(seed);
      run.observe(observation, 0);
      return { observation, info: toInfo(run.state) };
    },
    step(action) {
      const reward = run.advance(action);
      run.observe(observation, 0);
      const { state } = run;
      return { observation, reward, terminated: state.over, truncated: run.isTruncated, info: toInfo(state) };
    },
  };
}
