/** Plays a recorded run again inside the page, from its seed and inputs. */
import type { Replay } from "../../backend/domain/replay/replay.ts";
import { COMMAND_CODES, type Game, type GameEvent, type GameState, type PlayFrame } from "../../backend/games/game.ts";
import { toPlayFrame } from "./demo-run.ts";
import type { Sample } from "./timeline.ts";

const COMMAND_CODE_SET = new Set<number>(Object.values(COMMAND_CODES));
/** After a tab slept, time is not made up for. */
const ADVANCE_MAX_MS = 1000;

const hexToBytes = (hex: string): Uint8Array =>
  Uint8Array.from({ length: (hex.length - 2) / 2 }, (_, i) => Number.parseInt(hex.slice(2 + 2 * i, 4 + 2 * i), 16));

export class ReplayPlayer {
  readonly #game: Game;
  readonly #replay: Replay;
  readonly #onTick: (frame: PlayFrame, events: readonly GameEvent[]) => void;
  readonly #state: GameState;
  #frame: PlayFrame;
  #previous: PlayFrame | null = null;
  #elapsedMs = 0;
  #nextInputIndex = 0;

  /** `game`: the rules the replay was played under. `onTick` sees each new state once. */
  constructor(game: Game, replay: Replay, onTick: (frame: PlayFrame, events: readonly GameEvent[]) => void) {
    this.#game = game;
    this.#replay = replay;
    this.#onTick = onTick;
    this.#state = game.init(hexToBytes(replay.seed), replay.tickHz);
    this.#frame = toPlayFrame(game, this.#state);
  }

  get isOver(): boolean {
    return this.#state.over || this.#state.tick >= this.#replay.ticks;
  }

  /** Steps to the last tick at once. */
  finish(): void {
    while (!this.isOver) this.#step();
  }

  advance(ms: number): void {
    const tickMs = 1000 / this.#replay.tickHz;
    this.#elapsedMs += Math.min(ms, ADVANCE_MAX_MS);
    while (this.#elapsedMs >= tickMs && !this.isOver) {
      this.#elapsedMs -= tickMs;
      this.#step();
    }
  }

  sample(): Sample {
    const fraction = this.isOver ? 1 : (this.#elapsedMs * this.#replay.tickHz) / 1000;
    return { frame: this.#frame, previous: this.#previous, alpha: this.#previous === null ? 1 : Math.min(1, fraction) };
  }

  #step(): void {
    const { inputs } = this.#replay;
    const tick = this.#state.tick + 1;
    const codes: number[] = [];
    for (
      ;
      this.#nextInputIndex < inputs.length && inputs[this.#nextInputIndex]![0] <= tick;
      this.#nextInputIndex += 1
    ) {
      const code = inputs[this.#nextInputIndex]![1];
      if (!COMMAND_CODE_SET.has(code)) codes.push(code);
    }
    this.#game.step(this.#state, codes);
    this.#previous = this.#frame;
    const frame = toPlayFrame(this.#game, this.#state);
    this.#frame = this.isOver ? { ...frame, phase: "ended" } : frame;
    this.#onTick(this.#frame, this.#state.events);
  }
}
