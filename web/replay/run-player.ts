/** Plays recordings side by side, with a common position, speed and pause. */
import { type Signal, signal } from "@preact/signals";
import type { Sample } from "../session/timeline.ts";
import { findGhostPawn, findGhosts, type Ghost } from "./ghost.ts";
import type { Recording } from "./recording.ts";

export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
/** The time for which a tab slept is not made up for. */
const ADVANCE_MAX_MS = 1000;

interface RunPlayerOptions {
  readonly tick: number;
  readonly isPlaying: boolean;
  readonly hasGhosts?: boolean;
}

export class RunPlayer {
  readonly recordings: readonly Recording[];
  /** The ticks of the longest recording. */
  readonly ticks: number;
  readonly tickHz: number;
  readonly isPlaying: Signal<boolean>;
  readonly speed: Signal<number> = signal(1);
  /** For each recording, what the reference bot would have done. */
  readonly ghosts: readonly (readonly Ghost[])[];
  /** The last whole tick that is shown. */
  readonly tick: Signal<number>;
  #position: number;
  #lastMs: number | null = null;

  constructor(recordings: readonly Recording[], options: RunPlayerOptions) {
    this.recordings = recordings;
    this.ghosts = recordings.map(options.hasGhosts === true ? findGhosts : () => []);
    this.tickHz = recordings[0]!.tickHz;
    this.ticks = Math.max(...recordings.map(({ ticks }) => ticks));
    this.#position = Math.max(0, Math.min(this.ticks, options.tick));
    this.tick = signal(Math.floor(this.#position));
    this.isPlaying = signal(options.isPlaying);
  }

  /** The current picture of a recording. Sampling the first recording advances the time. */
  sample(index: number, nowMs: number): Sample {
    const recording = this.recordings[index]!;
    if (index === 0) this.#advance(nowMs, recording.tickHz);
    const ghost = findGhostPawn(this.ghosts[index]!, this.#position);
    return { ...recording.sampleAt(this.#position), ghost };
  }

  seek(tick: number): void {
    this.#position = Math.max(0, Math.min(this.ticks, tick));
    this.tick.value = Math.floor(this.#position);
  }

  /** Moves one tick forward (1) or back (-1), and pauses the run. */
  step(ticks: number): void {
    this.isPlaying.value = false;
    this.seek(Math.round(this.#position) + ticks);
  }

  /** Pauses or resumes. Restarts a run that is over. */
  toggle(): void {
    if (!this.isPlaying.value && this.#position >= this.ticks) this.seek(0);
    this.isPlaying.value = !this.isPlaying.value;
  }

  #advance(nowMs: number, tickHz: number): void {
    const passedMs = this.#lastMs === null ? 0 : Math.min(ADVANCE_MAX_MS, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    if (!this.isPlaying.value) return;
    this.#position = Math.min(this.ticks, this.#position + (passedMs * tickHz * this.speed.value) / 1000);
    const tick = Math.floor(this.#position);
    if (tick !== this.tick.value) this.tick.value = tick;
    if (this.#position >= this.ticks) this.isPlaying.value = false;
  }
}
