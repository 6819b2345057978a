/** A run that the game's own bot plays in the page, shown while no session is live. */
import { toInputCodes } from "../../client/training/input-codes.ts";
import type { Bot, Game, GameState, PlayFrame } from "../../games/game.ts";
import { toPlayFrame } from "../../games/play-frame.ts";
import type { Sample } from "./timeline.ts";

const RESTART_DELAY_MS = 2000;
/** The time for which a tab slept is not made up for. */
const ADVANCE_MAX_MS = 250;

/** Plays run after run forever. `makeSeed` gives 32 bytes for each. */
export class DemoRun {
  readonly #game: Game;
  readonly #createSeed: () => Uint8Array;
  #bot: Bot;
  #state: GameState;
  #frame: PlayFrame;
  #previous: PlayFrame | null = null;
  #elapsedMs = 0;
  #sinceEndMs = 0;

  constructor(game: Game, createSeed: () => Uint8Array) {
    this.#game = game;
    this.#createSeed = createSeed;
    this.#bot = game.bots.reference();
    this.#state = game.init(createSeed(), game.tickHz);
    this.#frame = toPlayFrame(game, this.#state);
  }

  get frame(): PlayFrame {
    return this.#frame;
  }

  /** Advances the run. `isUncapped`: by the full time, however long it is. */
  advance(ms: number, isUncapped = false): void {
    const tickMs = 1000 / this.#game.tickHz;
    this.#elapsedMs += isUncapped ? ms : Math.min(ms, ADVANCE_MAX_MS);
    while (this.#elapsedMs >= tickMs) {
      this.#elapsedMs -= tickMs;
      this.#tick(tickMs);
    }
  }

  sample(): Sample {
    const alpha = Math.min(1, (this.#elapsedMs * this.#game.tickHz) / 1000);
    return { frame: this.#frame, previous: this.#previous, alpha: this.#previous === null ? 1 : alpha };
  }

  #tick(tickMs: number): void {
    if (this.#state.over) {
      this.#previous = this.#frame;
      this.#sinceEndMs += tickMs;
      if (this.#sinceEndMs >= RESTART_DELAY_MS) this.#restart();
      return;
    }
    this.#game.step(this.#state, toInputCodes(this.#game, this.#bot(this.#frame)));
    this.#previous = this.#frame;
    this.#frame = toPlayFrame(this.#game, this.#state);
  }

  #restart(): void {
    this.#sinceEndMs = 0;
    this.#previous = null;
    this.#bot = this.#game.bots.reference();
    this.#state = this.#game.init(this.#createSeed(), this.#game.tickHz);
    this.#frame = toPlayFrame(this.#game, this.#state);
  }
}

/** The first seconds of a course are nearly empty. */
const WARM_UP_MS = 7000;

/** A run on a random course, some seconds after its start. */
export function startDemoRun(game: Game): DemoRun {
  const run = new DemoRun(game, () => crypto.getRandomValues(new Uint8Array(32)));
  run.advance(WARM_UP_MS, true);
  return run;
}
