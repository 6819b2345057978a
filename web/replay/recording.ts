/** A recorded run, played through once, so that its events are known and any of its ticks can be shown again. */
import type { Replay } from "../../domain/replay/replay.ts";
import { COMMAND_CODES, type Game, type GameEvent, type GameState, type PlayFrame } from "../../games/game.ts";
import { toPlayFrame } from "../../games/play-frame.ts";
import type { Sample } from "../session/timeline.ts";

const COMMAND_CODE_SET = new Set<number>(Object.values(COMMAND_CODES));
/** A seek simulates at most this many ticks. */
const CHECKPOINT_TICKS = 100;

const hexToBytes = (hex: string): Uint8Array =>
  Uint8Array.from({ length: (hex.length - 2) / 2 }, (_, i) => Number.parseInt(hex.slice(2 + 2 * i, 4 + 2 * i), 16));

export interface RecordedEvent extends GameEvent {
  readonly tick: number;
}

export class Recording {
  readonly game: Game;
  readonly ticks: number;
  readonly tickHz: number;
  readonly events: readonly RecordedEvent[];
  readonly finalScore: number;
  readonly scores: readonly number[];
  readonly #codesByTick = new Map<number, number[]>();
  /** States as JSON, one after every `CHECKPOINT_TICKS`. */
  readonly #checkpoints: string[] = [];
  #state: GameState;
  #frame: PlayFrame;
  #previous: PlayFrame | null = null;

  /** `game`: the rules the replay was played under. */
  constructor(game: Game, replay: Pick<Replay, "seed" | "tickHz" | "ticks" | "inputs">) {
    this.game = game;
    this.tickHz = replay.tickHz;
    for (const [tick, code] of replay.inputs) {
      if (COMMAND_CODE_SET.has(code)) continue;
      this.#codesByTick.set(tick, [...(this.#codesByTick.get(tick) ?? []), code]);
    }
    this.#state = game.init(hexToBytes(replay.seed), replay.tickHz);
    this.#frame = toPlayFrame(game, this.#state);
    const events: RecordedEvent[] = [];
    const scores: number[] = [this.#state.score];
    this.#checkpoints.push(JSON.stringify(this.#state));
    while (!this.#state.over && this.#state.tick < replay.ticks) {
      this.#stepState();
      const { tick } = this.#state;
      for (const event of this.#state.events) events.push({ ...event, tick });
      scores.push(this.#state.score);
      if (tick % CHECKPOINT_TICKS === 0) this.#checkpoints.push(JSON.stringify(this.#state));
    }
    this.ticks = this.#state.tick;
    this.finalScore = this.#state.score;
    this.events = events;
    this.scores = scores;
    this.#state = JSON.parse(this.#checkpoints[0]!) as GameState;
    this.#show(this.ticks);
  }

  /** The picture at a position in (fractional) ticks. */
  sampleAt(position: number): Sample {
    const bounded = Math.max(0, Math.min(this.ticks, position));
    const tick = Math.ceil(bounded);
    this.#show(tick);
    const alpha = this.#previous === null ? 1 : 1 - (tick - bounded);
    return { frame: this.#frame, previous: this.#previous, alpha };
  }

  frameAt(tick: number): PlayFrame {
    // The numbers beside a picture are those of the previous tick.
    if (tick === this.#previous?.tick) return this.#previous;
    this.#show(Math.max(0, Math.min(this.ticks, tick)));
    return this.#frame;
  }

  /** A copy of the state after a tick. */
  stateAt(tick: number): GameState {
    const state = JSON.parse(this.#checkpoints[Math.floor(tick / CHECKPOINT_TICKS)]!) as GameState;
    while (state.tick < tick) this.game.step(state, this.#codesByTick.get(state.tick + 1) ?? []);
    return state;
  }

  #show(tick: number): void {
    if (tick === this.#frame.tick) return;
    if (tick < this.#frame.tick || tick - this.#frame.tick > CHECKPOINT_TICKS) {
      // Start at a checkpoint before the shown frame, so that its previous frame is known as well.
      const index = Math.min(this.#checkpoints.length - 1, Math.floor(Math.max(0, tick - 1) / CHECKPOINT_TICKS));
      this.#state = JSON.parse(this.#checkpoints[index]!) as GameState;
      this.#frame = this.#toFrame();
      this.#previous = null;
    }
    while (this.#state.tick < tick) {
      this.#stepState();
      if (this.#state.tick >= tick - 1) {
        this.#previous = this.#frame.tick === this.#state.tick - 1 ? this.#frame : null;
        this.#frame = this.#toFrame();
      }
    }
  }

  #toFrame(): PlayFrame {
    const frame = toPlayFrame(this.game, this.#state);
    return this.ticks !== undefined && frame.tick === this.ticks ? { ...frame, phase: "ended" } : frame;
  }

  #stepState(): void {
    this.game.step(this.#state, this.#codesByTick.get(this.#state.tick + 1) ?? []);
  }
}
