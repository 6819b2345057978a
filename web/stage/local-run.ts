/** A game played by its own bot inside the page: the picture of a game that nobody plays right now. */
import type { Bot, Game, GameState, PlayFrame } from "../../backend/games/game.ts";
import type { Sample } from "./timeline.ts";

const LINGER_MS = 2000;
/** After a tab slept, time is not made up for. */
const STEP_MAX_MS = 250;

/** A state's frame as it would arrive over the channel. */
export function toPlayFrame(game: Game, state: GameState): PlayFrame {
  const { extra, score, ...common } = game.frame(state);
  return {
    ...extra,
    ...common,
    v: 1,
    sessionId: "demo",
    slug: game.slug,
    tMs: Math.round((state.tick * 1000) / state.tickHz),
    phase: state.over ? "ended" : "running",
    score: { current: score, high: score },
    spectators: { current: 0, max: 0 },
  };
}

/** Plays run after run for ever. `makeSeed` gives 32 bytes for each. */
export class LocalRun {
  readonly #game: Game;
  readonly #makeSeed: () => Uint8Array;
  #bot: Bot;
  #state: GameState;
  #frame: PlayFrame;
  #previous: PlayFrame | null = null;
  #passedMs = 0;
  #lingeredMs = 0;

  constructor(game: Game, makeSeed: () => Uint8Array) {
    this.#game = game;
    this.#makeSeed = makeSeed;
    this.#bot = game.bots.reference();
    this.#state = game.init(makeSeed(), game.tickHz);
    this.#frame = toPlayFrame(game, this.#state);
  }

  get frame(): PlayFrame {
    return this.#frame;
  }

  /** Lets time pass; `fast` plays all of it, however long it is. */
  advance(ms: number, fast = false): void {
    const tickMs = 1000 / this.#game.tickHz;
    this.#passedMs += fast ? ms : Math.min(ms, STEP_MAX_MS);
    while (this.#passedMs >= tickMs) {
      this.#passedMs -= tickMs;
      this.#tick(tickMs);
    }
  }

  sample(): Sample {
    const alpha = Math.min(1, (this.#passedMs * this.#game.tickHz) / 1000);
    return { frame: this.#frame, previous: this.#previous, alpha: this.#previous === null ? 1 : alpha };
  }

  #tick(tickMs: number): void {
    if (this.#state.over) {
      this.#previous = this.#frame;
      this.#lingeredMs += tickMs;
      if (this.#lingeredMs >= LINGER_MS) this.#restart();
      return;
    }
    const message = this.#bot(this.#frame);
    const wanted = message === null ? null : JSON.stringify(message);
    const input = this.#game.inputs.find((one) => one.mode !== "idle" && JSON.stringify(one.message) === wanted);
    this.#game.step(this.#state, input === undefined ? [] : [input.code]);
    this.#previous = this.#frame;
    this.#frame = toPlayFrame(this.#game, this.#state);
  }

  #restart(): void {
    this.#lingeredMs = 0;
    this.#previous = null;
    this.#bot = this.#game.bots.reference();
    this.#state = this.#game.init(this.#makeSeed(), this.#game.tickHz);
    this.#frame = toPlayFrame(this.#game, this.#state);
  }
}

/** The first seconds of a course are bare. */
const SKIPPED_MS = 7000;

/** A run of a course that nobody knows, in its middle. */
export function startMidRun(game: Game): LocalRun {
  const run = new LocalRun(game, () => crypto.getRandomValues(new Uint8Array(32)));
  run.advance(SKIPPED_MS, true);
  return run;
}
