/** Finds whether a load delays a game's ticks, by comparing its process with one without load in the same windows. */
import { expect } from "chai";
import { expectFigure, FigureError, IS_FULL_RUN, sleep } from "./drill.ts";
import type { GameProcess } from "./game-process.ts";

const WINDOW_MS = 2000;
/** A load continues until this many windows can be judged, or until there are this many in total. */
const VALID_MIN = 4;
const WINDOWS_MAX = 10;
/** The ticks that the game without load must make in a valid window. */
const TICKS_MIN = 20;

interface Window {
  readonly controlMs: number;
  readonly loadedMs: number;
}

type Watched = Pick<GameProcess, "lateness">;

export class LatenessWatch {
  readonly #loaded: Watched;
  readonly #control: Watched;
  readonly #windowMs: number;
  readonly #boundMs: number;
  readonly #windows: Window[] = [];
  /** Windows with too few ticks included. */
  #count = 0;
  #isStopped = false;
  readonly #watching: Promise<void>;

  /** Starts the watch. `boundMs`: how much later the 99th percentile of the ticks may be. */
  constructor(loaded: Watched, control: Watched, boundMs: number, windowMs = WINDOW_MS) {
    [this.#loaded, this.#control, this.#boundMs, this.#windowMs] = [loaded, control, boundMs, windowMs];
    this.#watching = this.#watch();
  }

  /** Whether enough windows can be judged, or the machine is too busy. */
  get isEnough(): boolean {
    return this.#listValid().length >= VALID_MIN || this.#count >= WINDOWS_MAX;
  }

  #listValid(): readonly Window[] {
    return this.#windows.filter(({ controlMs }) => controlMs < this.#boundMs);
  }

  async #watch(): Promise<void> {
    // Discard what came before the watch.
    await this.#read();
    while (!this.#isStopped) {
      const endMs = performance.now() + this.#windowMs;
      while (!this.#isStopped && performance.now() < endMs) await sleep(Math.min(100, this.#windowMs));
      const { loaded, control } = await this.#read();
      this.#count += 1;
      if (control.ticks >= TICKS_MIN) this.#windows.push({ controlMs: control.p99Ms, loadedMs: loaded.p99Ms });
    }
  }

  async #read() {
    const [loaded, control] = await Promise.all([this.#loaded.lateness(), this.#control.lateness()]);
    return { loaded, control };
  }

  /**
   * Ends the watch. Call it before the load ends. Other programs can only make ticks later, so the best window counts.
   * A window in which the game without load was later than the bound proves nothing about the service; if all were,
   * `excessMs` is null. Throws if the game without load made too few ticks in every window.
   */
  async stop(): Promise<{ readonly excessMs: number | null; readonly figure: string }> {
    this.#isStopped = true;
    await this.#watching;
    if (this.#windows.length === 0)
      throw new FigureError(`expected ${TICKS_MIN} ticks of the game without load in one of ${this.#count} windows`);
    const valid = this.#listValid();
    const excessMs = valid.length === 0 ? null : Math.min(...valid.map((one) => one.loadedMs - one.controlMs));
    const windows = this.#windows.map((one) => `${one.controlMs.toFixed(1)}/${one.loadedMs.toFixed(1)}`).join(" ");
    const verdict = excessMs === null ? "not judged, the machine was too busy" : `${excessMs.toFixed(1)} ms later`;
    return { excessMs, figure: `${verdict} (p99 without load/here: ${windows} ms)` };
  }
}

/**
 * Fails if ticks were later than allowed under the load. If the machine was too busy to judge (null), a full run fails
 * as well, because it has shown nothing. A short run reports it in its figures.
 */
export function expectPunctual(excessMs: number | null, boundMs: number, isFullRun = IS_FULL_RUN): void {
  if (excessMs !== null) expectFigure(() => expect(excessMs, "the player's ticks").to.be.below(boundMs));
  else if (isFullRun)
    throw new Error("the player's ticks were not judged, the machine was too busy: run the drill again on a quiet one");
}
